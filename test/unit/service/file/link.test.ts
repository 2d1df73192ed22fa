import { downloadEach, type Served } from '../../../support/downloads';
import { useOwnServer } from '../../../support/ownServer';
import { KEY } from '../../../support/setup';

const own = useOwnServer();
const redirect = (location: string) => ({ status: 307, headers: { location } });
const NOWHERE = /redirects to where nothing can be fetched/;

test('a redirect of a link is followed, without the key', async () => {
	const moved = { content: '', ...redirect('/file/1/') };
	const [result] = await downloadEach(own, 'link', [moved, { content: 'a file' }]);
	expect(String(result?.stored)).toBe('a file');
	expect(own.requests.map(({ key }) => key === KEY)).toEqual([true, true, false, false, false]);
});

test.each<[string, Partial<Served>, RegExp]>([
	['a redirect to a file of this machine', redirect('file:///etc/passwd'), NOWHERE],
	['a redirect in a circle', redirect('/file/0/'), NOWHERE],
	['a part of a file', { status: 206 }, /^The file's server does not give the whole file/],
])('%s is refused, and not tried again', async (_, more, message) => {
	const served = [{ content: '%PDF', ...more }];
	const [result] = await downloadEach(own, 'link', served, { maxTries: 2 });
	expect(result?.error?.message).toMatch(message);
	expect(own.requests.filter(({ key }) => key === KEY)).toHaveLength(1);
});
