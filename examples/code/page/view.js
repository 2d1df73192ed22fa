// What the page shows, and what its buttons do.
/** HTML in which each value is text, unless it is such HTML itself. */
class Html {
	constructor(text) {
		this.text = text;
	}
}
const escaped = (value) => {
	if (value instanceof Html) return value.text;
	if (Array.isArray(value)) return value.map(escaped).join('');
	if (value === undefined || value === null || value === false) return '';
	return String(value).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt()};`);
};
const h = (parts, ...values) =>
	new Html(parts.map((part, at) => part + escaped(values[at])).join(''));
const note = (text) => text && h`<p class="note">${text}</p>`;
const soft = (text) => text && h`<p class="soft">${text}</p>`;
const section = (...parts) => h`<section>${parts}</section>`;
const button = (action, text, main) =>
	h`<button type="button" data-do="${action}" class="${main && 'main'}" ${isBusy && 'disabled'}>${text}</button>`;
const table = (rows) => {
	const line = ([name, value]) => h`<tr><td>${name}</td><td class="value">${value}</td></tr>`;
	const filled = rows.filter(([, value]) => value);
	return filled.length > 0 && h`<table>${filled.map(line)}</table>`;
};
const persons = (rows) => {
	const line = ([toId, status, reason, name]) => {
		const told = [WORDS[status] ? say(status) : say('status', status), oneOf(reason)];
		const why = status === 'excluded' ? told[0] : told.filter((each) => each).join(' · ');
		return h`<li><b>${toId}</b>${name && ` ${name}`}<span>${why}</span></li>`;
	};
	return rows.length > 0 && h`<ul>${rows.map(line)}</ul>`;
};

const question = () => {
	const { campaign, sends, unknown, resends, seconds, file, video, added } = given;
	const count = sends + (isResent() ? resends : 0);
	const skipped = (file?.skipped ?? []).map(([kind, count, some]) => [
		...[kind, count, some.join(', ') + (count > some.length ? ' …' : '')],
	]);
	const film = () => [
		h`<div class="video">${/^https?:/.test(video.cover) && h`<img src="${video.cover}" alt="" referrerpolicy="no-referrer">`}
			<div><b>${video.channel}</b><br>${video.name}${[
				video.hours !== undefined && soft(say('received', duration(video.hours * 3600))),
				video.account && soft(say('account', video.account)),
			]}</div></div>`,
		h`<p>${given.tester ? say('tested', given.tester) : say('untested')}</p>`,
		note(video.hours >= 120 && say('old')),
	];
	const ask = () => [
		resends > 0 &&
			h`<label><input type="checkbox" data-resend ${isResent() && 'checked'} ${sends === 0 && 'disabled'}> ${say('resend', people(resends))}</label>`,
		h`<div class="buttons">${button('go', say('send', people(count)), true)}</div>`,
		soft([
			say('takes', duration(count * seconds + added / 50)),
			isChinese ? '' : ' ',
			say('notYet'),
		]),
	];
	const isAsked = sends + resends > 0;
	const left = table([
		[say('got'), given.got],
		[say('unknown'), unknown],
		[say('excluded'), given.excluded],
		[say('wrong'), given.wrongs],
		[say('givenUp'), given.givenUp],
		...Object.entries(given.words).map(([word, number]) => [say('status', word), number]),
		[say('later'), given.more],
	]);
	const title = sends > 0 ? 'ask' : isAsked ? 'askAgain' : 'nobody';
	const others = given.otherCampaigns.join(isChinese ? '、' : ', ');
	return [
		section(
			h`<h1>${say(title, campaign, people(count))}</h1>`,
			soft(
				file && [file.name, file.of && ` › ${file.of}`, `: ${file.all[0]} … ${file.all.at(-1)}`],
			),
			isAsked && film(),
			note(isSentElsewhere && say('elsewhere', campaign)),
			skipped.map(
				([kind, ...facts]) =>
					facts[0] > 0 && WORDS[`${kind}Note`] && note(say(`${kind}Note`, ...facts)),
			),
			note(file?.unlike.length > 0 && say('unlike', file.unlike.slice(0, 5).join(', '))),
			note(file?.ignored.length > 0 && say('ignored', file.ignored.slice(0, 5).join(', '))),
			note(given.oddEntries.length > 0 && say('oddEntries', given.oddEntries.join(', '))),
			isAsked && ask(),
		),
		left && section(h`<h2>${say('skipped')}</h2>`, left, persons(given.wrong)),
		section(
			h`<details><summary>${say('details')}</summary>${table([
				[say('list'), file?.name],
				[say('rows'), file?.rows],
				[say('column'), file?.of],
				[
					say('ends'),
					file && h`${file.all.slice(0, 2).join(', ')}<br>… ${file.all.slice(2).join(', ')}`,
				],
				[say('inList'), given.inFile],
				...skipped.map(([kind, count, some]) => [say(kind), count > 0 && [count, soft(some)]]),
				[say('inTable'), given.people - given.inFile],
				[say('tableEmpty'), given.withoutId],
				[say('excluded'), given.excludedIds.join(', ')],
				[say('doNotContact'), given.isUnprotected && say('none')],
				[given.isNewCampaign && say('new'), others && say('others', others)],
			])}</details>`,
		),
	];
};

/** The state of the campaign by the row: the execution that sends reports in it. */
const state = () => {
	if (!row?.id) return undefined;
	if (!row.execution) return 'question';
	const { execution, state } = row.progress;
	const isReported = execution === row.execution;
	if (isReported && state !== 'sending') return state;
	// Before the first report, n8n adds the list to the table, at least 33 rows a second (2.41, SQLite).
	const adding = isReported ? 0 : given.added * 30;
	if (Date.now() > Date.parse(row.until) + adding + 10_000) return 'silent';
	return row.stop ? 'stopping' : isReported ? 'sending' : 'starting';
};
const isRunning = () => ['sending', 'starting', 'stopping'].includes(state());
/** The total, how many are done, also before a Stop, and what the bar shows: between two looks, it continues at the pace. */
const counted = () => {
	const { got = given.got, total = given.sends, done = 0, at, pace, size } = row.progress;
	const sent = Math.max(0, got - given.got);
	const all = Math.max(given.sends, sent + total);
	const ahead = state() === 'sending' ? Math.min(size, (Date.now() - at) / 1000 / pace) : 0;
	return [all, all - total + done, Math.min(all, all - total + done + ahead), sent];
};
const progress = () => {
	const [kind, isOver] = [state(), !isRunning()];
	const { counts = {}, failures = [], left = 0, ...told } = row.progress;
	const [total, done, shown, earlier] = counted();
	const failed = (counts.rejected ?? 0) + (counts.notSent ?? 0);
	const box = (name, count, isBad) =>
		h`<div class="${isBad && count > 0 && 'bad'}"><b>${count}</b>${say(name)}</div>`;
	const remaining = (total - shown) * (told.pace ?? given.seconds);
	const time = isOver
		? told.at &&
			new Date(told.at).toLocaleString(language, { dateStyle: 'medium', timeStyle: 'short' })
		: total > done && say('timeLeft', duration(remaining));
	const goOn = left > 0 && kind !== 'silent' ? say('goOnWith', people(left)) : say('goOn');
	return [
		section(
			h`<div class="name">${given.campaign}</div><h1>${say(kind)}</h1>`,
			note(oneOf(told.why)),
			kind === 'silent' && h`<p>${say('silentWhy')}</p>`,
			h`<div class="bar"><div style="width: ${total > 0 ? (100 * shown) / total : 100}%"></div></div>
				<div class="under"><span>${say('ofAll', done, total)}</span><span>${time}</span></div>
				<div class="counts">${[
					box('sent', (counts.sent ?? 0) + (counts.skipped ?? 0) + earlier),
					box('failures', failed, true),
					box('unknowns', (counts.unknown ?? 0) + (told.unknown ?? given.unknown), true),
					box('exclusions', (told.excluded ?? given.excluded) + (counts.excluded ?? 0)),
					box('remaining', total - done),
				]}</div>`,
			note(told.isSheetUnsaved && say('sheetUnsaved')),
			h`<div class="buttons">${[
				!isOver && kind !== 'stopping' && button('stop', say('stop')),
				isOver && (kind !== 'done' || left > 0) && button('go', goOn, kind !== 'done'),
			]}</div>`,
			soft(!isOver && say('close')),
			told.table &&
				h`<p><a href="${base}projects/${told.table[0]}/datatables/${told.table[1]}" target="_blank">${say('table', given.campaign)}</a> ${isOver && say('download')}</p>`,
		),
		failures.length > 0 &&
			section(
				h`<h2>${say(isOver ? 'notConfirmed' : 'latest')}</h2>`,
				persons(failures),
				soft(told.rest > 0 && say('rest', told.rest)),
			),
	];
};
const nothing = () =>
	section(h`<h1>${say('nothing')}</h1>`, note(oneOf(given.why)), soft(say('again')));

const root = document.querySelector('#campaign');
const base = location.href.replace(/form-waiting[^]*/, '');
let [row, isBusy, trouble, since, timer] = [undefined, false, '', Date.now(), 0];
const isResent = () => root.querySelector('[data-resend]')?.checked ?? given.sends === 0;
/** Changes only what differs: a button stays under the finger, a fold stays open, the bar moves on. */
const patch = (old, next) => {
	const [olds, nexts] = [[...old.childNodes], [...next.childNodes]];
	if (old.nodeName !== next.nodeName || olds.length !== nexts.length) return old.replaceWith(next);
	if (old.data !== next.data) old.data = next.data;
	for (const { name, value } of next.attributes ?? []) old.setAttribute(name, value);
	if ('disabled' in old) old.disabled = next.disabled;
	olds.forEach((child, at) => patch(child, nexts[at]));
};
const show = () => {
	const kind = state();
	const parts = !token ? nothing() : kind === 'question' ? question() : kind && progress();
	const next = root.cloneNode();
	next.innerHTML = escaped([parts, trouble && section(note(say(trouble)))]);
	if (next.childNodes.length === root.childNodes.length) patch(root, next);
	else root.replaceChildren(...next.childNodes);
	document.title = [given.campaign ?? say('nothing'), kind !== 'question' && kind && say(kind)]
		.filter((part) => part)
		.join(' · ');
};
const request = window.fetch.bind(window);
const post = async (path, values) => {
	const body = new URLSearchParams({ token, ...values });
	const response = await request(`${base}webhook/${path}`, { method: 'POST', body });
	if (!response.ok) throw new Error(response.status);
	return response;
};
/** Each look is an execution in n8n: they become rarer, and a hidden tab makes none. */
const look = async () => {
	clearTimeout(timer);
	try {
		row = await (await post(paths.look)).json();
		row.progress = JSON.parse(row.progress || '{}');
		trouble = row.id ? '' : 'gone';
	} catch ({ message }) {
		trouble = message === '404' ? 'unpublished' : 'offline';
	}
	show();
	const wait = Math.min(60_000, Math.max(2000, (Date.now() - since) / 10));
	if (!document.hidden && (trouble === 'offline' || isRunning())) timer = setTimeout(look, wait);
};
const click = async (action) => {
	const [before, resend] = [state(), isResent() && !row.execution];
	isBusy = true;
	since = Date.now();
	show();
	const values = { action, also: resend ? 'unknown' : '', execution: row.execution ?? '' };
	await post(paths.click, values).catch(() => {});
	for (let wait = 300; state() === before && wait < 5000; wait *= 2) {
		await new Promise((done) => setTimeout(done, wait));
		await look();
	}
	isBusy = false;
	if (state() === before) trouble ||= 'unchanged';
	show();
};

root.addEventListener('click', ({ target }) => target.dataset.do && click(target.dataset.do));
root.addEventListener('change', show);
document.documentElement.lang = isChinese ? 'zh' : 'en';
// n8n's script would end the execution of the form, and n8n keeps this page only as long as that waits.
window.fetch = () => new Promise(() => {});
show();
if (token) {
	look();
	document.addEventListener('visibilitychange', () => document.hidden || look());
	setInterval(() => document.hidden || (state() === 'sending' && show()), 1000);
}
