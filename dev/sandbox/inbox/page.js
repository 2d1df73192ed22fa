/**
 * Shows the inbox and keeps it up to date. All that comes from the wire is text to show, never
 * markup; only addresses of images are followed.
 */

/** Of each section, no more than these are shown; the sandbox keeps no more either. */
const LATEST = 200;

/** As the service documents them. */
const FILE_TYPES = {
	1: 'large image',
	2: 'small image',
	3: 'video or image thumbnail',
	4: 'video',
	5: 'file or voice file',
};

const DELIVERIES = {
	body: 'The file was the response itself.',
	link: 'The response had a link to it.',
	nested: 'The response had a link to it, deep inside.',
	base64: 'The response had it in base64.',
	dataUri: 'The response had it as a data URI.',
	data: 'The response had other data, as told.',
};

const byId = (id) => document.getElementById(id);
const counted = (count, name) =>
	`${new Intl.NumberFormat('en').format(count)} ${name}${count === 1 ? '' : 's'}`;
const times = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

function copyOf(template, texts) {
	const element = byId(template).content.firstElementChild.cloneNode(true);
	for (const place of element.querySelectorAll('[data-text]')) {
		place.textContent = texts[place.dataset.text] || place.dataset.none;
		place.hidden = !place.textContent;
	}
	return element;
}

function entryOf(template, { at, requestId }, texts) {
	const element = copyOf(template, { requestId, ...texts });
	element.dataset.requestId = requestId;
	const time = element.querySelector('time');
	time.dateTime = at;
	time.textContent = times.format(new Date(at));
	return element;
}

/** @param replace is called if nothing loads from there */
function showImage(image, url, replace) {
	const isWeb = URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol);
	if (!isWeb) return replace();
	image.addEventListener('error', replace, { once: true });
	image.src = url;
}

/** Whatever the message is: what is known of a feed video has places of its own, all else is listed. */
function messageCard(entry) {
	const { channelName, username, coverUrl, headImgUrl, ...others } = entry.fields;
	const card = entryOf('message', entry, { channelName, username });
	card.dataset.toId = entry.toId;
	card.querySelector('dl').prepend(...Object.entries(others).flatMap(described));
	const [cover, head] = card.querySelectorAll('img');
	if (coverUrl === undefined) cover.parentElement.remove();
	else {
		cover.alt = `Cover of a video of ${channelName}`;
		showImage(cover, coverUrl, () => {
			cover.src = `sandbox/covers/${(entry.number % 6) + 1}.svg`;
			card.querySelector('figcaption').hidden = false;
		});
	}
	// The name stands beside it.
	showImage(head, headImgUrl, () => head.remove());
	return card;
}

function described([name, value]) {
	const [term, description] = ['dt', 'dd'].map((tag) => document.createElement(tag));
	term.textContent = name;
	description.textContent = value;
	return [term, description];
}

function fileRow(entry) {
	const type = `File Type ${entry.fileType}: ${FILE_TYPES[entry.fileType]}`;
	return entryOf('row', entry, { title: entry.name, more: type, why: DELIVERIES[entry.delivery] });
}

function failureRow(entry) {
	const { call, toId, status, code, message, told } = entry;
	const response = [status && `HTTP ${status}`, code !== undefined && `code ${code}`];
	return entryOf('row', entry, {
		title: toId ? `${call} to ${toId}` : call,
		told: response.filter(Boolean).join(' · ') || 'No whole response',
		more: message,
		why: told && `As told: ${told}.`,
	});
}

/** A misbehaviour that is still to come. */
function waitingItem({ name, left, on, toId }) {
	const item = document.createElement('li');
	const who = toId === undefined ? '' : ` to ${toId}`;
	item.textContent = `${name}: next ${counted(left, on === 'api' ? 'call' : 'link')}${who}`;
	return item;
}

/** The recipients that are shown. */
const groups = new Map();

/** The recipient's list, on top of all others. */
function recipientsList({ toId, instanceGuid }) {
	const place = byId('messages').querySelector('.groups');
	const key = JSON.stringify([instanceGuid, toId]);
	const group = groups.get(key) ?? copyOf('group', { toId, instanceGuid });
	group.dataset.key = key;
	groups.set(key, group);
	if (place.firstElementChild !== group) place.prepend(group);
	return group.querySelector('ul');
}

const rowsOf = (id) => () => byId(id).querySelector('.rows');
const sections = {
	messages: { elementOf: messageCard, listFor: recipientsList, name: 'message', shown: [] },
	files: { elementOf: fileRow, listFor: rowsOf('files'), name: 'file', shown: [] },
	failures: { elementOf: failureRow, listFor: rowsOf('failures'), name: 'failed call', shown: [] },
};

/** The newest on top. */
function show(section, entry) {
	const element = section.elementOf(entry);
	section.listFor(entry).prepend(element);
	section.shown.push(element);
}

function hideOldest({ shown }) {
	for (const element of shown.splice(0, shown.length - LATEST)) {
		const group = element.closest('.group');
		element.remove();
		if (!group || group.querySelector('li')) continue;
		groups.delete(group.dataset.key);
		group.remove();
	}
}

/** The sandbox counts anew, from 1, in each era. */
let era;
let lastNumber = 0;

function take(state) {
	if (state.era !== era) {
		era = state.era;
		lastNumber = 0;
		groups.clear();
		for (const section of Object.values(sections)) section.shown.length = 0;
		for (const list of document.querySelectorAll('.groups, .rows')) list.replaceChildren();
	}
	const seen = lastNumber;
	for (const [id, section] of Object.entries(sections)) {
		const { total, entries } = state[id];
		for (const entry of entries) {
			if (entry.number <= seen) continue;
			lastNumber = Math.max(lastNumber, entry.number);
			show(section, entry);
		}
		hideOldest(section);
		byId(id).hidden = total === 0;
		byId(id).querySelector('h2 span').textContent =
			total > LATEST ? `latest ${LATEST} of ${total}` : total;
	}
	byId('waiting').replaceChildren(...state.waiting.map(waitingItem));
	byId('welcome').hidden = lastNumber > 0;
	byId('messages').hidden = lastNumber === 0;
	count(state);
}

/** Who listens to the page hears the counts, but not each of them in a long run. */
let latest;
let pause;
function count(state) {
	latest = state;
	pause ??= setTimeout(() => {
		pause = undefined;
		for (const [id, { name }] of Object.entries(sections)) {
			const link = byId('counts').querySelector(`[href='#${id}']`);
			link.textContent = counted(latest[id].total, name);
			link.classList.toggle('is-bad', id === 'failures' && latest[id].total > 0);
		}
	}, 500);
}

function setConnection(state, text) {
	const place = byId('connection');
	if (place.dataset.state === state) return;
	place.dataset.state = state;
	place.textContent = text;
}

function connect() {
	const events = new EventSource('sandbox/events');
	events.addEventListener('open', () => setConnection('live', 'Live'));
	events.addEventListener('message', ({ data }) => take(JSON.parse(data)));
	events.addEventListener('error', () => {
		setConnection('lost', 'Connection lost, trying again…');
		// It tries again by itself, unless something else answered.
		if (events.readyState === EventSource.CLOSED) setTimeout(connect, 2000);
	});
}

/** Tells the sandbox something; resolves to the envelope. */
async function tell(what, body) {
	const headers = { 'Content-Type': 'application/json' };
	const init = { method: 'POST', headers, body: JSON.stringify(body) };
	return await (await fetch(`sandbox/${what}`, init)).json();
}

/** What is filled in, less what is empty. */
function filledIn(panel) {
	const fields = [...panel.querySelectorAll('input, select')];
	return Object.fromEntries(fields.filter(({ value }) => value).map((it) => [it.name, it.value]));
}

async function offerMisbehaviour(panel) {
	const { data } = await (await fetch('sandbox/misbehave')).json();
	const said = panel.querySelector('[role=status]');
	for (const { name, told, on: only, outcome, isRetried, arrives } of data) {
		const more = isRetried ? ', retried' : arrives && outcome === 'unknown' ? ', arrives' : '';
		const button = copyOf('choice', { name, outcome: outcome && outcome + more });
		button.addEventListener('click', async () => {
			const { times, on, toId } = filledIn(panel);
			const schedule = (only ?? on) === 'api' ? { on, toId } : { on: 'file' };
			const order = { ...told, ...schedule, times: Number(times) };
			const { ok, message } = await tell('misbehave', order);
			said.textContent = ok ? '' : message;
		});
		panel.querySelector('.buttons').append(button);
	}
}

function offerCallbacks(panel) {
	const said = panel.querySelector('[role=status]');
	for (const button of panel.querySelectorAll('button')) {
		button.addEventListener('click', async () => {
			said.textContent = 'Posting…';
			const { ok, message, data } = await tell('callbacks', {
				kind: button.value,
				url: '',
				...filledIn(panel),
			});
			const { status, text } = data ?? {};
			said.textContent = ok ? `${status ? `HTTP ${status}` : 'No response'}: ${text}` : message;
		});
	}
}

byId('base-url').textContent = location.origin;
byId('reset').addEventListener('click', async () => await tell('reset', {}));
offerCallbacks(byId('callbacks'));
connect();
await offerMisbehaviour(byId('misbehave'));
