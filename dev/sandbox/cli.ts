import { parseArgs } from 'node:util';

import { samples } from './samples';
import { startSandbox } from './server';

/** `npm run sandbox -- --port 4010 --key demo-key` */
async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			port: { type: 'string', default: '4010' },
			host: { type: 'string', default: '127.0.0.1' },
			key: { type: 'string', default: 'demo-key' },
		},
	});
	const { host, key } = values;
	const sandbox = await startSandbox({ port: Number(values.port), host, key });
	const say = (line: string) => process.stdout.write(`${line}\n`);
	say(`Workchat sandbox at ${sandbox.url}`);
	say(`What arrives is shown in a browser at ${sandbox.url}`);
	say(`Base URL in the credential: ${sandbox.url}`);
	say(`API key in the credential:  ${key}`);
	say('Files to download, as JSON for the File parameter:');
	for (const sample of Object.values(samples)) say(`  ${JSON.stringify(sandbox.fieldsOf(sample))}`);
	say('To spoil the next call or the next downloads, for example:');
	const told = (path: string, body: object) =>
		`  curl ${sandbox.url}/sandbox/${path} -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
	say(told('misbehave', { kind: 'httpError', status: 503, times: 2 }));
	say(told('answer-downloads', { as: 'base64' }));
	say('Press Ctrl-C to stop.');
}

void main();
