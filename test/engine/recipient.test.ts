import type { IDataObject } from 'n8n-workflow';

import { inputFailure } from '../../nodes/Workchat/service/failure/failure';
import { errorsOf, useCampaigns, wordsOf } from '../support/campaigns';
import { retrying } from '../support/messages';
import { KEY, NODE, recipients, resultOf, SEND, VIDEO } from '../support/setup';
import { about } from '../support/about';

const { bench, send } = useCampaigns();

describe('the recipient beside a failure', () => {
	test.each<[string, string, string | undefined]>([
		['an ID', ' customer-1 ', 'customer-1'],
		['nothing', '', undefined],
		['lines', 'customer\n-1\u0007', 'customer -1'],
		['a long text', 'x'.repeat(60_000), `${'x'.repeat(200)}…`],
	])('is shown if it is %s', (_, toId, shown) => {
		expect(inputFailure('It is wrong', 'Mend it.', { ...about, toId }).details.toId).toBe(shown);
	});

	test('is the one that the message went to, whatever its expression says now', async () => {
		bench.sandbox.misbehave({ kind: 'refuse', code: 1, message: 'no' }, { times: 2 });
		const parameters = { ...SEND, toId: '={{ "customer-" + Math.random() }}' };
		const [error] = errorsOf(await send([{}], parameters));
		const words = wordsOf(await send([{}], parameters, {}));
		const [continued, stopped] = bench.sandbox.requests.map(({ body }) => String(body?.toId));
		expect(error).toMatchObject({ toId: continued });
		expect(words).toContain(`item 0 (${stopped})`);
	});

	test.each<[string, object]>([
		['a missing value', { feedId: '={{ "" }}' }],
		['a wrong option', { options: { timeout: '={{ 0 }}' } }],
		['a Send Once Key that is empty', { options: { sendOnceKey: '={{ "" }}' } }],
		['a Send Once Key that is an object', { options: { sendOnceKey: '={{ ({}) }}' } }],
	])('is told of %s, too', async (_, more) => {
		const parameters = { ...SEND, ...VIDEO, specifyFeedVideo: 'fields', ...more };
		const [error] = errorsOf(await send(recipients(1), parameters));
		expect(error).toMatchObject({ toId: 'customer-1', tried: false });
	});

	const { encodeData, ...others } = { ...VIDEO, encodeData: 'fake-encode-data-0123456789' };
	const video = { ...others, encodeData };
	const ONE_BY_ONE = { ...SEND, ...video, specifyFeedVideo: 'fields' };
	const FROM_ITEM = { ...SEND, specifyFeedVideo: 'input' };
	const WRONG = { feedId: '={{ "" }}' };
	test.each<[string, IDataObject, object]>([
		['of a refused message', {}, ONE_BY_ONE],
		['of one that could not be read', {}, { ...ONE_BY_ONE, ...WRONG }],
		['given as JSON', {}, { ...SEND, feedVideo: JSON.stringify({ ...video, feedId: '' }) }],
		['with its label', { ...others, 'Encode Data': encodeData, feedId: '' }, FROM_ITEM],
		['deep in the item', { row: { ...video, feedId: '' } }, FROM_ITEM],
		['with a wrong option', {}, { ...ONE_BY_ONE, options: { timeout: '={{ 0 }}' } }],
		['as a name, too', {}, { ...ONE_BY_ONE, options: { sendOnceKey: encodeData } }],
	])('is no secret that was filled in by mistake: %s', async (_, item, parameters) => {
		// In an item that n8n runs again, and in the error that stops the run.
		for (const [toId, settings] of [
			[encodeData, retrying(2, 'continueRegularOutput')],
			[KEY, {}],
		] as const) {
			bench.sandbox.misbehave({ kind: 'dropAfterAccepting' }, { times: 2 });
			const run = await send([item, item], { ...parameters, toId }, settings);
			bench.sandbox.reset();
			const { error, items: put } = resultOf(run);
			const hints = run.data.resultData.runData[NODE]?.at(-1)?.hints;
			const details = (error as { errorResponse?: object })?.errorResponse;
			const jsons = put.map(({ json }) => json);
			const said = JSON.stringify([error?.message, error?.description, details, jsons, hints]);
			expect(said).toMatch(/"outcome"|item 0/);
			expect(said).not.toContain(toId);
		}
	});
});
