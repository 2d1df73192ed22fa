const { execFile, spawn } = require('node:child_process');
const { createHash } = require('node:crypto');
const { once } = require('node:events');
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const { delimiter, dirname, join, resolve, sep } = require('node:path');
const { promisify } = require('node:util');

/**
 * Installs n8n as its lock says, in this folder: some minutes the first time, nothing when it is there
 * already. It needs none of the project's packages, so that `node dev/n8n/install.js` can go on while
 * these are installed.
 */

const OLDEST_NODE = 24; // n8n 2.40 runs on nothing older
const NODE = '24.21.0'; // what is fetched where the present one is too old

/** What is left in `node_modules` when it is complete: `{ lock, node }`. */
const STAMP = join(__dirname, 'node_modules', '.complete.json');

/** What runs n8n: an environment, in which npm writes into the project only, and paths to commands. */
async function installN8n(say) {
	const cache = join(__dirname, '.cache');
	const env = {
		...process.env,
		npm_config_cache: join(cache, 'npm'),
		npm_config_devdir: join(cache, 'node-gyp'),
		npm_config_fund: 'false',
		npm_config_loglevel: 'error',
		npm_config_jobs: 'max',
	};
	const lock = createHash('sha256')
		.update(readFileSync(join(__dirname, 'package-lock.json')))
		.digest('hex');
	const stamp = existsSync(STAMP) ? JSON.parse(readFileSync(STAMP, 'utf8')) : {};
	const isInstalled = stamp.lock === lock;
	const known = isInstalled ? resolve(__dirname, stamp.node) : '';
	const node = existsSync(known) ? known : await newNode(env, say);
	env.PATH = [dirname(node), process.env.PATH].join(delimiter);
	if (!isInstalled) {
		say('Installing n8n into dev/n8n. This takes some minutes and 4 GB, the first time only.');
		// With peers, whatever the project's own setting is: n8n's Extract from File needs one of them.
		await withTime(say, npm(['ci', '--no-audit', '--no-legacy-peer-deps'], env));
		say('Building SQLite for this computer …');
		await withTime(say, npm(['rebuild', 'sqlite3', '--ignore-scripts=false'], env));
	}
	if (node !== known) {
		// Relative within this folder, which may be moved.
		writeFileSync(STAMP, JSON.stringify({ lock, node: node.replace(__dirname + sep, '') }));
	}
	return { env, bin: (name) => join(__dirname, 'node_modules', '.bin', name) };
}

/** In this folder. A terminal shows npm's own progress. */
async function npm(args, env) {
	const child = spawn('npm', args, { cwd: __dirname, env, stdio: ['ignore', 'ignore', 'inherit'] });
	const [code] = await once(child, 'close');
	if (code !== 0) throw new Error(`npm ${args.join(' ')} failed`);
}

/** The path of a Node.js that n8n runs on: this one, or one that npm fetches. */
async function newNode(env, say) {
	if (Number(process.versions.node.split('.')[0]) >= OLDEST_NODE) return process.execPath;
	say(`n8n needs Node.js ${OLDEST_NODE}. Looking for it in this folder, or downloading it …`);
	return await withTime(say, fetchNode(NODE, env));
}

/** Says every ten seconds how long it has taken, so that nobody thinks it hangs. */
async function withTime(say, work) {
	let seconds = 0;
	const clock = setInterval(() => say(`  ${(seconds += 10)} s …`), 10_000);
	return await work.finally(() => clearInterval(clock));
}

/**
 * The path of a Node.js of this version, which npm fetches where it has not yet.
 * @param env npm's settings
 */
async function fetchNode(version, env = process.env) {
	const npx = ['--yes', `node@${version}`, '--print', 'process.execPath'];
	const { stdout } = await promisify(execFile)('npx', npx, {
		env: { ...env, npm_config_ignore_scripts: 'false' }, // a script of it fetches the program
	});
	return stdout.trim();
}

module.exports = { installN8n, fetchNode, withTime };
if (require.main === module) void installN8n(console.log);
