import type { IExecuteFunctions } from 'n8n-workflow';

import { envelopeOf } from '../../../nodes/Workchat/service/workchat';
import { about } from '../../support/about';

test.each<[body: string, logged: string[]]>([
	['{"code":0}', []],
	['<html>', ['Workchat: no envelope came: HTTP 502, type text/***, length 6']],
])('that %s is no envelope stands in the log, or not', async (body, logged) => {
	const lines: string[] = [];
	const logger = { debug: (line: string) => void lines.push(line) };
	const context = { logger } as IExecuteFunctions;
	const reply = {
		status: 502,
		headers: { 'content-type': 'text/fake-secret', 'content-length': '6' },
		peek: async () => await Promise.resolve(Buffer.from(body)),
		close: () => {},
	};
	const secrets = ['fake-secret'];
	const asked = envelopeOf(reply as never, { context, about: { ...about, secrets } });
	await expect(asked).rejects.toThrow('HTTP 502');
	expect(lines).toEqual(logged);
});
