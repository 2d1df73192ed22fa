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

	const [cover, channel, head] = ['.cover', '.channel', '.head'].map(part);
	channel.append([channelName, username].filter(Boolean).join(' · '));
	showImage(head, headImgUrl, () => head.remove());
	if (coverUrl === undefined) cover.remove();
	else {
		showImage(cover, coverUrl, () => {
			cover.src = 'sandbox/cover.svg';
			part('.answer').before(elementOf('small', 'The cover did not load: this is a sample.'));
		});
	}

	const { status, code, message, told, gave, requestId, isFailure } = answer;
	const listed = { ...others, file: gave, request_id: requestId ?? 'none reached the caller' };
	for (const [term, value] of Object.entries(listed)) {
		if (value) part('dl').append(elementOf('dt', term), elementOf('dd', value));
	}
	const said = [
		status ? `HTTP ${status}` : 'No whole response',
		code !== undefined && `code ${code}`,
	];
	const words = [...said, message, told && `as told: ${told}`].filter(Boolean);
	part('.answer').textContent = words.join(' · ');
	part('.answer').classList.add(isFailure ? 'bad' : 'good');
	return card;
}

/** Cards that are shown, by what they show: an image does not load again with each look. */
let cards = new Map();
let lastText;

function show(text) {
	if (text === lastText) return;
	lastText = text;
	const { counts, calls, waiting } = JSON.parse(text);
	const keyed = calls.map((call) => ({ ...call, key: JSON.stringify(call) }));
	cards = new Map(keyed.map((call) => [call.key, cards.get(call.key) ?? cardOf(call)]));
	const cardsOf = (isMessage) =>
		keyed.filter((call) => call.isMessage === isMessage).map(({ key }) => cards.get(key));
	byId('messages').replaceChildren(...cardsOf(true));
	byId('others').replaceChildren(...cardsOf(false));

	const { messages, files, failures } = counts;
	const all = [
		counted(messages, 'message'),
		counted(files, 'file'),
		counted(failures, 'failed call'),
	];
	byId('counts').textContent = all.join(' · ');
	byId('counts').classList.toggle('bad', failures > 0);
	byId('waiting').replaceChildren(
		...waiting.map(({ name, left, on, toId }) => {
			const next = `next ${counted(left, on === 'api' ? 'call' : 'link')}`;
			return elementOf('li', `${name}: ${next}${toId === undefined ? '' : ` to ${toId}`}`);
		}),
	);
}

async function look() {
	const response = await fetch('sandbox/state', { signal: AbortSignal.timeout(5000) }).catch(
		() => {},
	);
	if (response?.ok) show(await response.text());
	const connection = byId('connection');
	connection.textContent = response?.ok ? 'Live' : GONE.message;
	connection.className = response?.ok ? 'good' : 'bad';
}

/** Tells the sandbox something; resolves to the envelope. */
async function tell(what, body) {
	const headers = { 'Content-Type': 'application/json' };
	const init = { method: 'POST', headers, body: JSON.stringify(body) };
	const answer = await fetch(`sandbox/${what}`, init).then(
		(response) => response.json(),
		() => GONE,
	);
	await look();
	return answer;
}

/** What is filled in, less what is empty. */
function filledIn(panel) {
	const fields = [...panel.querySelectorAll('input, select')];
	return Object.fromEntries(fields.filter(({ value }) => value).map((it) => [it.name, it.value]));
}

async function offerMisbehaviour(panel) {
	const { data } = await (await fetch('sandbox/misbehave')).json();
	for (const { name, told, on: only, outcome } of data) {
		const button = elementOf('button', name);
		if (outcome) button.append(elementOf('small', outcome));
		button.addEventListener('click', async () => {
			const { times, on, toId } = filledIn(panel);
			const schedule = (only ?? on) === 'api' ? { on, toId } : { on: 'file' };
			const order = { ...told, ...schedule, times: Number(times) };
			const { ok, message } = await tell('misbehave', order);
			panel.querySelector('[role=status]').textContent = ok ? '' : message;
		});
		panel.querySelector('.buttons').append(button);
	}
}

function offerCallbacks(panel) {
	const said = panel.querySelector('[role=status]');
	for (const button of panel.querySelectorAll('button')) {
		button.addEventListener('click', async () => {
			said.textContent = 'Posting…';
			const order = { kind: button.value, url: '', ...filledIn(panel) };
			const { ok, message, data } = await tell('callbacks', order);
			const { status, text } = data ?? {};
			said.textContent = ok ? `${status ? `HTTP ${status}` : 'No response'}: ${text}` : message;
		});
	}
}

byId('reset').addEventListener('click', async () => await tell('reset', {}));
offerCallbacks(byId('callbacks'));
await offerMisbehaviour(byId('misbehave'));
for (;;) {
	await look();
	await new Promise((resolve) => setTimeout(resolve, 1000));
}
