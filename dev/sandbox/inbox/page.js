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
	body: 'The file was the answer itself.',
	link: 'The answer had a link to it.',
	nested: 'The answer had a link to it, deep inside.',
	base64: 'The answer had it in base64.',
	dataUri: 'The answer had it as a data URI.',
	data: 'The answer had other data, as told.',
};

const byId = (id) => document.getElementById(id);
const numbers = new Intl.NumberFormat('en');
const times = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

function copyOf(template, texts) {
	const element = byId(template).content.firstElementChild.cloneNode(true);
	for (const place of element.querySelectorAll('[data-text]')) {
		const text = texts[place.dataset.text];
		if (text) place.textContent = text;
		else if (place.dataset.none) place.textContent = place.dataset.none;
		else place.hidden = true;
		place.classList.toggle('is-none', !text);
	}
	return element;
}

function entryOf(template, entry, texts = {}) {
	const element = copyOf(template, { ...entry, ...texts });
	element.dataset.requestId = entry.requestId;
	const time = element.querySelector('time');
	time.dateTime = entry.at;
	time.textContent = times.format(new Date(entry.at));
	element.addEventListener('animationend', () => element.classList.remove('is-new'));
	return element;
}

/** What does not load makes room for the placeholder behind it. */
function showImage(image, url, alt) {
	if (!isWebAddress(url)) return image.remove();
	image.addEventListener('error', () => image.remove());
	image.alt = alt;
	image.src = url;
}

function isWebAddress(text) {
	return URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);
}

function messageCard(entry) {
	const card = entryOf('message', entry);
	card.dataset.toId = entry.toId;
	const [cover, head] = card.querySelectorAll('img');
	showImage(cover, entry.coverUrl, `Cover of a video of ${entry.channelName}`);
	// The name stands beside it.
	showImage(head, entry.headImgUrl, '');
	return card;
}

/** The recipients that are shown. */
const groups = new Map();

/** The recipient's list, on top of all others. */
function listFor(entry) {
	const place = byId('messages').querySelector('.groups');
	const key = JSON.stringify([entry.instanceGuid, entry.toId]);
	const group = groups.get(key) ?? groupOf(entry, key);
	if (place.firstElementChild !== group) place.prepend(group);
	return group.querySelector('ul');
}

function groupOf({ toId, instanceGuid }, key) {
	const group = copyOf('group', { toId, instanceGuid, initial: [...toId][0] });
	group.dataset.key = key;
	group.setAttribute('aria-label', `To ${toId}`);
	groups.set(key, group);
	return group;
}

function removeIfEmpty(group) {
	if (group.querySelector('li')) return;
	groups.delete(group.dataset.key);
	group.remove();
}

function fileRow(entry) {
	const type = `${entry.fileType}: ${FILE_TYPES[entry.fileType]}`;
	return entryOf('file', entry, { type, delivery: DELIVERIES[entry.delivery] });
}

function failureRow(entry) {
	const { call, toId, status, code, told } = entry;
	const answer = [status && `HTTP ${status}`, code !== undefined && `code ${code}`];
	return entryOf('failure', entry, {
		call: toId ? `${call} to ${toId}` : call,
		answer: answer.filter(Boolean).join(' · ') || 'No whole answer',
		told: told && `As told: ${told}.`,
	});
}

const sections = {
	messages: { elementOf: messageCard, listFor, name: 'message', shown: [] },
	files: {
		elementOf: fileRow,
		listFor: () => byId('files').querySelector('ul'),
		name: 'file',
		shown: [],
	},
	failures: {
		elementOf: failureRow,
		listFor: () => byId('failures').querySelector('ul'),
		name: 'failed call',
		shown: [],
	},
};

/** The newest on top. */
function show(section, entry, isNew) {
	const element = section.elementOf(entry);
	element.classList.toggle('is-new', isNew);
	section.listFor(entry).prepend(element);
	section.shown.push(element);
}

function hideOldest(section) {
	for (const element of section.shown.splice(0, section.shown.length - LATEST)) {
		const group = element.closest('.group');
		element.remove();
		if (group) removeIfEmpty(group);
	}
}

function update(id, { shown }, total) {
	const [count, note, none] = byId(id).querySelectorAll('.count, .note, .none');
	count.textContent = numbers.format(total);
	note.hidden = total <= shown.length;
	note.textContent = `Latest ${shown.length} of ${numbers.format(total)}`;
	none.hidden = total > 0;
}

/** The sandbox counts anew, from 1, in each era. */
let era;
let lastNumber = 0;

function take(state) {
	const isFirst = era === undefined;
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
		// In a long run it would be a flicker.
		const isNew = !isFirst && entries.length <= 10;
		for (const entry of entries) {
			if (entry.number <= seen) continue;
			lastNumber = Math.max(lastNumber, entry.number);
			show(section, entry, isNew);
		}
		hideOldest(section);
		update(id, section, total);
	}
	const isEmpty = lastNumber === 0;
	byId('welcome').hidden = !isEmpty;
	for (const id of Object.keys(sections)) byId(id).hidden = isEmpty;
	announce(
		Object.entries(sections).map(([id, { name }]) => {
			const { total } = state[id];
			return `${numbers.format(total)} ${name}${total === 1 ? '' : 's'}`;
		}),
	);
}

/** Who listens to the page hears the counts, but not each of them in a long run. */
let news;
let pause;
function announce(parts) {
	news = parts.join(', ');
	pause ??= setTimeout(() => {
		pause = undefined;
		byId('news').textContent = news;
	}, 1000);
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

byId('base-url').textContent = location.origin;
byId('reset').addEventListener('click', async () => {
	const headers = { 'Content-Type': 'application/json' };
	await fetch('sandbox/reset', { method: 'POST', headers, body: '{}' });
});
connect();
