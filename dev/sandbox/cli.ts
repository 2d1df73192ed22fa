import { parseArgs } from 'node:util';

import { expectFree } from '../n8n/ports';
import { samples } from './samples';
import { startSandbox } from './server';

const HELP = `npm run sandbox -- [options]
  --port 4010        the port to listen on; 0 for any free port
  --host 127.0.0.1   the address to listen on; 0.0.0.0 for all addresses, for example for an n8n in Docker
  --key demo-key     the API key to accept
  --name sandbox     another host name to answer to; can be given several times
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
		throw new Error(`--port ${values.port} is not a port: enter a number from 0 to 65535.`);
	}
	if (port !== 0) await expectFree(port, 'The sandbox', 'choose another one with --port');
	const sandbox = await startSandbox({ port, host, key, names });
	const files = Object.values(samples).map((sample) => JSON.stringify(sandbox.fieldsOf(sample)));
	process.stdout
		.write(`The Workchat sandbox runs at ${sandbox.url}. Open this address in a browser to see what arrives.

Workchat API credential
  Base URL               ${sandbox.url}
  API Key                ${key}
  Default Instance GUID  any text
OpenAI credential, to try the AI agent with a simulated model
  Base URL               ${sandbox.chatModelCredential.url}
  API Key                any text
Files to download, as JSON for the parameter File
  ${files.join('\n  ')}

To simulate failures and to post callbacks, use the page, or HTTP as docs/installation.md describes.
Press Ctrl-C to stop.
`);
}

main().catch((error: NodeJS.ErrnoException) => {
	const isOfOptions = error.code?.startsWith('ERR_PARSE_ARGS');
	process.stderr.write(`${error.message}\n${isOfOptions ? HELP : ''}`);
	process.exitCode = 1;
});
