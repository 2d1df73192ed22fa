import { parseUrl } from '../../../../nodes/Workchat/service/http/url';

test.each([
	['https://example.com/a?b#c', 'https://example.com/a?b#c'],
	[`https://a.example/${'p'.repeat(8000)}`, `https://a.example/${'p'.repeat(8000)}`],
	[`https://a.example/${'p'.repeat(9000)}`, undefined],
	['example.com', undefined],
])('the node reads a URL unless it is too long or has no protocol: case %#', (text, href) =>
	expect(parseUrl(text)?.href).toBe(href),
);
