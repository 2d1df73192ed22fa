import { parseArgs } from 'node:util';

import { expectFree } from '../n8n/ports';
import { samples } from './samples';
import { startSandbox } from './server';

const HELP = `npm run sandbox -- [options]
  --port 4010        where it listens; 0 for a free port
  --host 127.0.0.1   on which address; 0.0.0.0 for all, such as for an n8n in Docker
  --key demo-key     the API key that it accepts
  --name sandbox     a host name that it answers to as well; may be given several times
`;

/** `npm run sandbox -- --port 4010 --key demo-key` */
async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			port: { type: 'string', default: '4010' },
			host: { type: 'string', default: '127.0.0.1' },
			key: { type: 'string', default: 'demo-key' },
			name: { type: 'string', multiple: true, default: [] as string[] },
			help: { type: 'boolean', short: 'h' },
		},
	});
	if (values.help) return void process.stdout.write(HELP);
	const { host, key, name: names } = values;
	const port = Number(values.port);
	if (!/^\d+$/.test(values.port) || port > 65_535) {
		throw new Error(`--port ${values.port} is no port: name one from 0 to 65535.`);
	}
	if (port !== 0) await expectFree(port, 'the sandbox (or name another with --port)');
	const sandbox = await startSandbox({ port, host, key, names });
	const files = Object.values(samples).map((sample) => JSON.stringify(sandbox.fieldsOf(sample)));
	process.stdout
		.write(`Workchat sandbox at ${sandbox.url}: open it in a browser to see what arrives there.
Base URL in the credential: ${sandbox.url}
API key in the credential:  ${key}
Files to download, as JSON for the File parameter:
  ${files.join('\n  ')}
The page has a button for each misbehaviour and callback; docs/installation.md has them over HTTP.
Press Ctrl-C to stop.
`);
}

main().catch((error: NodeJS.ErrnoException) => {
	const isOfOptions = error.code?.startsWith('ERR_PARSE_ARGS');
	process.stderr.write(`${error.message}\n${isOfOptions ? HELP : ''}`);
	process.exitCode = 1;
});
