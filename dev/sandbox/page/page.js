/**
 * Asks the sandbox once a second what arrived, and shows it. All that comes from the wire is text to
 * show, never markup; only addresses of images are followed.
 */

const byId = (id) => document.getElementById(id);
const counted = (count, name) => `${count} ${name}${count === 1 ? '' : 's'}`;
const GONE = { ok: false, message: 'The sandbox does not answer: is it still running?' };

function elementOf(tag, text) {
	const element = document.createElement(tag);
	element.textContent = text;
	return element;
}

/** @param replace is called if nothing loads from there */
function showImage(image, url, replace) {
	const isWeb = URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol);
	if (!isWeb) return replace();
	image.addEventListener('error', replace, { once: true });
	image.src = url;
}

/** What is known of a feed video has places of its own, all else is listed. */
function cardOf({ at, name, toId, fields, answer }) {
	const { channelName, username, coverUrl, headImgUrl, ...others } = fields;
	delete others.toId;
	const card = document.querySelector('template').content.firstElementChild.cloneNode(true);
	const part = (selector) => card.querySelector(selector);
	card.dataset.toId = toId;
	part('b').textContent = toId ? `${name} to ${toId}` : name;
	part('time').textContent = new Date(at).toLocaleTimeString();

	const [cover, head] = ['.cover', '.head'].map(part);
	part('.channel').append(' ', [channelName, username].filter(Boolean).join(' · '));
	showImage(head, headImgUrl, () => head.remove());
	if (coverUrl === undefined) cover.remove();
	else {
		showImage(cover, coverUrl, () => {
			cover.src = 'sandbox/cover.svg';
			part('pre').append('\nThe cover did not load: this is a sample.');
		});
	}

	const { status, code, message, told, gave, requestId, isFailure } = answer;
	const listed = { ...others, file: gave, request_id: requestId ?? 'none reached the caller' };
	const lines = Object.entries(listed).flatMap(([term, value]) =>
		value ? `${term}: ${value}` : [],
	);
	part('pre').prepend(lines.join('\n'));
	const heard = status ? `HTTP ${status}` : 'No whole response';
	const said = [heard, code !== undefined && `code ${code}`, message, told && `as told: ${told}`];
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
	const { counts, calls, waiting } = JSON.parse(text);
	cards = new Map(calls.map((call) => [call.at, cards.get(call.at) ?? cardOf(call)]));
	const cardsOf = (some) => some.map(({ at }) => cards.get(at));
	byId('messages').replaceChildren(...cardsOf(calls.filter(({ isMessage }) => isMessage)));
	byId('others').replaceChildren(...cardsOf(calls.filter(({ isMessage }) => !isMessage)));

	const all = Object.entries(counts).map(([name, count]) => counted(count, name));
	byId('counts').textContent = all.join(' · ');
	byId('counts').classList.toggle('bad', counts['failed call'] > 0);
	byId('waiting').replaceChildren(
		...waiting.map(({ name, times, on, toId }) => {
			const next = `next ${counted(times, on === 'api' ? 'call' : 'link')}`;
			return elementOf('li', `${name}: ${next}${toId === undefined ? '' : ` to ${toId}`}`);
		}),
	);
}

async function look() {
	const signal = AbortSignal.timeout(5000);
	const response = await fetch('sandbox/state', { signal }).catch(() => {});
	if (response?.ok) show(await response.text());
	const connection = byId('connection');
	connection.textContent = response?.ok ? 'Live' : GONE.message;
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

/** Adds a button to a panel, which has the sandbox do what the panel is named for. */
function addButton(panel, name, orderOf) {
	const said = panel.querySelector('[role=status]');
	const button = elementOf('button', name);
	button.addEventListener('click', async () => {
		said.textContent = '…';
		const { ok, message, data } = await tell(panel.id, orderOf(filledIn(panel)));
		const answer = data && `${data.status ? `HTTP ${data.status}` : 'No response'}: ${data.text}`;
		said.textContent = ok ? answer : message;
	});
	panel.querySelector('.buttons').append(button);
	return button;
}

const choicesOf = async (panel) => (await (await fetch(`sandbox/${panel.id}`)).json()).data;

async function offerMisbehaviour(panel) {
	for (const { name, told, on: only, outcome } of await choicesOf(panel)) {
		const button = addButton(panel, name, ({ times, on, toId }) => {
			const schedule = (only ?? on) === 'api' ? { on, toId } : { on: 'file' };
			return { ...told, ...schedule, times: Number(times) };
		});
		if (outcome) button.append(elementOf('small', outcome));
	}
}

async function offerCallbacks(panel) {
	for (const kind of await choicesOf(panel)) {
		const name = kind.replace('kin', '').replace(/\B[A-Z]/g, ' $&');
		addButton(panel, name.toLowerCase(), (filled) => ({ kind, url: '', ...filled }));
	}
}

byId('reset').addEventListener('click', async () => await tell('reset', {}));
await offerMisbehaviour(byId('misbehave'));
await offerCallbacks(byId('callbacks'));
for (;;) {
	await look();
	await new Promise((resolve) => setTimeout(resolve, 1000));
}
