/**
 * Asks the sandbox once a second what arrived, and shows it. All that comes from the wire is text to
 * show, never markup; only addresses of images are followed.
 */

const byId = (id) => document.getElementById(id);
const GONE = { ok: false, message: 'The sandbox does not answer 沙箱没有响应' };

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

/** What is known of a feed video has places of its own, all else is listed. */
function cardOf({ at, name, toId, fields, answer }) {
	const { channelName, username, coverUrl, headImgUrl, ...others } = fields;
	delete others.toId;
	const card = document.querySelector('template').content.firstElementChild.cloneNode(true);
	const part = (selector) => card.querySelector(selector);
	card.dataset.toId = toId;
	part('b').textContent = toId ? `${name} → ${toId}` : name;
	part('time').textContent = new Date(at).toLocaleTimeString();

	part('.channel').append(' ', [channelName, username].filter(Boolean).join(' · '));
	showImage(part('.head'), headImgUrl);
	showImage(part('.cover'), coverUrl);

	const { status, code, message, told, gave, requestId, isFailure } = answer;
	const listed = Object.entries({ ...others, file: gave, request_id: requestId });
	const lines = listed.filter(([, value]) => value).map((pair) => pair.join(': '));
	part('pre').textContent = lines.join('\n');
	const heard = status ? `HTTP ${status}` : 'No whole response 没有完整的响应';
	const asTold = told && `as told 按指定：${told}`;
	const said = [heard, code !== undefined && `code ${code}`, message, asTold];
	part('footer').textContent = said.filter(Boolean).join(' · ');
	part('footer').classList.add(isFailure ? 'bad' : 'good');
	return card;
}

/** The cards shown, by when their call came: kept, as images would load anew each second. */
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
	const told = waiting.map(({ name, times, on, toId = on === 'file' ? 'links 链接' : '' }) =>
		elementOf('li', `${name} × ${times} ${toId && `→ ${toId}`}`),
	);
	byId('waiting').replaceChildren(...told);
}

async function look() {
	const signal = AbortSignal.timeout(5000);
	const response = await fetch('sandbox/state', { signal }).catch(() => {});
	if (response?.ok) show(await response.text());
	const connection = byId('connection');
	connection.textContent = response?.ok ? 'Live 已连接' : GONE.message;
	connection.className = response?.ok ? 'good' : 'bad';
}

/** Tells the sandbox something; resolves to the envelope. */
async function tell(what, body) {
	const headers = { 'Content-Type': 'application/json' };
	const init = { method: 'POST', headers, body: JSON.stringify(body) };
	const response = await fetch(`sandbox/${what}`, init).catch(() => {});
	await look();
	return response ? await response.json() : GONE;
}

/** What is filled in, less what is empty. */
function filledIn(panel) {
	const fields = [...panel.querySelectorAll('input, select')];
	return Object.fromEntries(fields.filter(({ value }) => value).map((it) => [it.name, it.value]));
}

/** Has a button tell the sandbox what its panel is named for. */
function onClick(panel, button, orderOf) {
	const said = panel.querySelector('[role=status]');
	button.addEventListener('click', async () => {
		said.textContent = '…';
		const { ok, message, data } = await tell(panel.id, orderOf(filledIn(panel)));
		const answer = data && `${data.status ? `HTTP ${data.status}` : 'No response'}: ${data.text}`;
		said.textContent = ok ? answer : message;
	});
}

const choicesOf = async (name) => (await (await fetch(`sandbox/${name}`)).json()).data;

async function offerMisbehaviour(panel) {
	for (const { name, told, on: only, outcome } of await choicesOf(panel.id)) {
		const button = elementOf('button', name);
		onClick(panel, button, ({ times, on, toId }) => {
			const schedule = (only ?? on) === 'api' ? { on, toId } : { on: 'file' };
			return { ...told, ...schedule, times: Number(times) };
		});
		if (outcome) button.append(elementOf('small', outcome));
		panel.querySelector('.buttons').append(button);
	}
}

function offerCallbacks(panel) {
	for (const button of panel.querySelectorAll('button'))
		onClick(panel, button, (filled) => ({ kind: button.value, url: '', ...filled }));
	// Where n8n runs beside the sandbox, its webhooks of just now.
	panel.addEventListener('toggle', async () => {
		const webhooks = await choicesOf('webhooks').catch(() => []);
		if (!webhooks?.length) return;
		const select = elementOf('select');
		select.name = 'url';
		select.append(...webhooks.map(({ name, url }) => new Option(name, url)));
		panel.querySelector('[name=url]').replaceWith(select);
	});
}

byId('reset').addEventListener('click', async () => await tell('reset', {}));
await offerMisbehaviour(byId('misbehave'));
offerCallbacks(byId('callbacks'));
for (;;) {
	await look();
	await new Promise((resolve) => setTimeout(resolve, 1000));
}
