/**
 * Asks the sandbox once a second what it received, and shows it. All that comes from outside is shown as
 * text, never as markup. Only addresses of images are loaded.
 */

const byId = (id) => document.getElementById(id);

/** The page has one language, the browser's. */
const language = navigator.language.startsWith('zh') ? 'zh' : 'en';
const inLanguage = (en, zh) => (language === 'zh' ? zh : en);
if (language === 'zh') {
	document.documentElement.lang = 'zh-CN';
	document.title = 'Workchat 沙箱';
	for (const element of document.querySelectorAll('[data-zh]')) {
		element[element.placeholder ? 'placeholder' : 'textContent'] = element.dataset.zh;
	}
}
const NO_ANSWER = inLanguage('The sandbox does not answer', '沙箱没有响应');

/** "unknown, arrives": the outcome that the node reports, and what the page adds to it. */
function resultOf(outcome) {
	const [reported, more] = outcome.split(', ');
	const words = {
		retried: inLanguage('the node tries again', '节点会重试'),
		arrives: inLanguage('but it arrives', '但实际已送达'),
	};
	return [reported, words[more]].filter(Boolean).join(inLanguage(', ', '，'));
}

function elementOf(tag, text) {
	const element = document.createElement(tag);
	element.textContent = text;
	return element;
}

/** Takes the image away if nothing loads from there. */
function showImage(image, url) {
	image.addEventListener('error', () => image.remove());
	if (/^https?:/i.test(url)) image.src = url;
	else image.remove();
}

/** A callback is called like its button. Operations are called as in n8n. */
function titleOf(name, place) {
	if (place === 'posted') return document.querySelector(`button[value=${name}]`).textContent.trim();
	return name === 'Link to a file' ? inLanguage(name, '文件链接') : name;
}

/** Shows the known fields of a feed video in places of their own, and lists the others. */
function cardOf({ at, name, toId, place, fields, answer }) {
	const { channelName, username, coverUrl, headImgUrl, ...others } = fields;
	delete others.toId;
	const card = document.querySelector('template').content.firstElementChild.cloneNode(true);
	const part = (selector) => card.querySelector(selector);
	card.dataset.toId = toId;
	const title = titleOf(name, place);
	part('b').textContent = toId ? `${title} → ${toId}` : title;
	part('time').textContent = new Date(at).toLocaleTimeString();

	part('.channel').append(' ', [channelName, username].filter(Boolean).join(' · '));
	showImage(part('.head'), headImgUrl);
	showImage(part('.cover'), coverUrl);

	const { status, code, message, simulated, file, requestId, isFailure } = answer;
	const noId = inLanguage('none reached the caller', '调用方没有收到');
	const request_id = place !== 'posted' && (requestId ?? noId);
	const listed = Object.entries({ ...others, file, request_id });
	const lines = listed.filter(([, value]) => value).map((pair) => pair.join(': '));
	part('pre').textContent = lines.join('\n');
	const http = status ? `HTTP ${status}` : inLanguage('No complete response', '没有完整的响应');
	const failure = simulated && `${inLanguage('simulated: ', '模拟：')}${simulated[language]}`;
	const parts = [http, code !== undefined && `code ${code}`, message, failure];
	part('footer').textContent = parts.filter(Boolean).join(' · ');
	part('footer').classList.add(isFailure ? 'bad' : 'good');
	return card;
}

/** The cards on the page, by the time of their request. They are kept, so that images load once. */
let cards = new Map();
let lastText;

function show(text) {
	if (text === lastText) return;
	lastText = text;
	const { counts, shown, waiting } = JSON.parse(text);
	cards = new Map(shown.map((each) => [each.at, cards.get(each.at) ?? cardOf(each)]));
	for (const place of ['messages', 'others', 'posted']) {
		const here = shown.filter((each) => each.place === place);
		byId(place).replaceChildren(...here.map(({ at }) => cards.get(at)));
	}

	for (const [name, count] of Object.entries(counts)) byId(name).textContent = count;
	byId('failures').parentElement.classList.toggle('bad', counts.failures > 0);
	const planned = waiting.map(({ name, times, on, toId }) => {
		const target = toId ?? (on === 'file' && inLanguage('links to files', '文件链接'));
		const next = `${inLanguage('Next: ', '接下来：')}${name[language]} × ${times}`;
		return elementOf('li', target ? `${next} → ${target}` : next);
	});
	byId('waiting').replaceChildren(...planned);
}

async function look() {
	const signal = AbortSignal.timeout(5000);
	const response = await fetch('sandbox/state', { signal }).catch(() => {});
	if (response?.ok) show(await response.text());
	const connection = byId('connection');
	connection.textContent = response?.ok ? inLanguage('Connected', '已连接') : NO_ANSWER;
	connection.className = response?.ok ? 'good' : 'bad';
}

/** Gives the sandbox an order. Resolves to the envelope. */
async function order(what, body) {
	const headers = { 'Content-Type': 'application/json' };
	const init = { method: 'POST', headers, body: JSON.stringify(body) };
	const response = await fetch(`sandbox/${what}`, init).catch(() => {});
	await look();
	return response ? await response.json() : { ok: false, message: NO_ANSWER };
}

/** The fields of a panel that are not empty. */
function filledIn(panel) {
	const fields = [...panel.querySelectorAll('input, select')];
	return Object.fromEntries(fields.filter(({ value }) => value).map((it) => [it.name, it.value]));
}

/** A click on the button gives the sandbox the order that its panel is named after. */
function onClick(panel, button, orderOf) {
	const status = panel.querySelector('[role=status]');
	button.addEventListener('click', async () => {
		if ([...panel.querySelectorAll('input')].some((input) => !input.reportValidity())) return;
		status.textContent = '…';
		const { ok, message, data } = await order(panel.id, orderOf(filledIn(panel)));
		const http = data?.status ? `HTTP ${data.status}` : inLanguage('No response', '没有响应');
		status.textContent = ok ? data && `${http}: ${data.text}` : message;
	});
}

const choicesOf = async (name) => (await (await fetch(`sandbox/${name}`)).json()).data;

async function offerMisbehaviour(panel) {
	for (const { name, misbehaviour, on: only, outcome } of await choicesOf(panel.id)) {
		const button = elementOf('button', name[language]);
		onClick(panel, button, ({ times, on, toId }) => {
			const schedule = (only ?? on) === 'api' ? { on, toId } : { on: 'file' };
			return { ...misbehaviour, ...schedule, times: Number(times) };
		});
		if (outcome) button.append(elementOf('small', resultOf(outcome)));
		panel.querySelector('.buttons').append(button);
	}
}

function offerCallbacks(panel) {
	for (const button of panel.querySelectorAll('button'))
		onClick(panel, button, (filled) => ({ kind: button.value, url: '', ...filled }));
	// If n8n was started with the sandbox, its current webhooks.
	panel.addEventListener('toggle', async () => {
		const webhooks = await choicesOf('webhooks').catch(() => []);
		if (!webhooks?.length) return;
		const select = elementOf('select');
		select.name = 'url';
		const test = inLanguage(' (test)', '（测试）');
		const options = webhooks.map(
			({ name, url, isTest }) => new Option(name + (isTest ? test : ''), url),
		);
		select.append(...options);
		panel.querySelector('[name=url]').replaceWith(select);
	});
}

byId('reset').addEventListener('click', async () => await order('reset', {}));
await offerMisbehaviour(byId('misbehave'));
offerCallbacks(byId('callbacks'));
for (;;) {
	await look();
	await new Promise((resolve) => setTimeout(resolve, 1000));
}
