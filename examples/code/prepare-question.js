// The facts that the page shows before the click, and what the click then does. The page has the words.
const { list } = $('Select Recipients').first(0).json;
if (list.asks) return [{ json: { step: 'column', fields: list.asks } }];
const checks = jsonsOf('Check the List');
const checked = jsonsOf('Select Recipients')
	.map((json, at) => ({ ...json, reason: checks[at].error?.message }))
	.filter(({ toId }) => toId !== undefined);
const wrong = checked.filter(({ reason, isUnknown }) => reason && !isUnknown);
const resends = checked.filter(({ reason, isUnknown }) => !reason && isUnknown).length;
const sends = checked.length - list.unknown - wrong.length;
const { listed, names } = jsonsOf('Select Recipients').at(-1);
const { feedVideo, ...video } = list.video ?? {};
const page = {
	...{ ...list, video, sends, resends, seconds: $('Settings').first().json.secondsBetween },
	wrong: wrong.slice(0, 200).map(({ toId, reason }) => [toId, 'notSent', reason, names[toId]]),
	wrongs: wrong.length,
};
const plan = { listed, ids: checked.map(({ toId }) => toId) };
const asks = list.tester && sends + resends > 0 ? 'rehearse' : 'ask';
const isSaving = list.isStale || checked.length > (also() ? 0 : list.unknown);
const step = list.isPage ? asks : isSaving ? 'send' : 'nobody';
const json = { step, sends, resends, video: video.row, plan: JSON.stringify(plan) };
return [{ json: { ...json, page: forPage(page) } }];
