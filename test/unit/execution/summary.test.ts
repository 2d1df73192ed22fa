import { summarize } from '../../../nodes/Workchat/execution/summary';
import { Failure } from '../../../nodes/Workchat/service/failure/failure';

test('the error about a download counts other downloads, and never says that one may have been sent', () => {
	const lost = new Failure('lost', { outcome: 'unknown', origin: 'network', advice: 'Try again.' });
	const results = [{ json: {} }, lost, lost, undefined];
	const rules = { isRepeatable: true, hasKeys: false };
	expect(summarize(lost, 1, results, rules)).toEqual({
		others: '1 done, 1 failed (item 3), 1 not tried',
		nextStep: '',
	});
});
