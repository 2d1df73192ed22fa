const { execFile, spawn } = require('node:child_process');
const { createHash } = require('node:crypto');
const { once } = require('node:events');
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const { delimiter, dirname, join, resolve, sep } = require('node:path');
const { promisify } = require('node:util');

/**
 * Installs the locked version of n8n in this folder, unless it is there. It needs none of the project's
 * packages, so that `node dev/n8n/install.js` can run while npm installs these.
 */

const OLDEST_NODE = 24; // n8n 2.40 needs it
const NODE = '24.21.0'; // downloaded if the present one is older

/** Marks a complete installation: `{ lock, node }`. */
const STAMP = join(__dirname, 'node_modules', '.complete.json');

/** Returns the environment for n8n, in which npm writes only into the project, and the paths to commands. */
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
		// With peer dependencies, in spite of the project's own setting: n8n's Extract from File needs one.
		await withTime(say, npm(['ci', '--no-audit', '--no-legacy-peer-deps'], env));
		say('Building SQLite for this computer …');
		await withTime(say, npm(['rebuild', 'sqlite3', '--ignore-scripts=false'], env));
	}
	if (node !== known) {
		// Relative to this folder, which may be moved.
		writeFileSync(STAMP, JSON.stringify({ lock, node: node.replace(__dirname + sep, '') }));
	}
	return { env, bin: (name) => join(__dirname, 'node_modules', '.bin', name) };
}

/** Runs npm in this folder. A terminal shows its progress. */
async function npm(args, env) {
	const child = spawn('npm', args, { cwd: __dirname, env, stdio: ['ignore', 'ignore', 'inherit'] });
	const [code] = await once(child, 'close');
	if (code !== 0) throw new Error(`npm ${args.join(' ')} failed`);
}

/** The path of a Node.js for n8n: the present one, or one that npm downloads. */
async function newNode(env, say) {
	if (Number(process.versions.node.split('.')[0]) >= OLDEST_NODE) return process.execPath;
	say(`n8n needs Node.js ${OLDEST_NODE}. Looking for it in this folder, or downloading it …`);
	return await withTime(say, fetchNode(NODE, env));
}

/** Shows the elapsed time every ten seconds, so that the user sees that it has not stopped. */
async function withTime(say, work) {
	let seconds = 0;
	const clock = setInterval(() => say(`  ${(seconds += 10)} s …`), 10_000);
	return await work.finally(() => clearInterval(clock));
}

/**
 * The path of a Node.js of this version, which npm downloads unless it has it.
 * @param env npm's settings
 */
async function fetchNode(version, env = process.env) {
	const npx = ['--yes', `node@${version}`, '--print', 'process.execPath'];
	const { stdout } = await promisify(execFile)('npx', npx, {
		env: { ...env, npm_config_ignore_scripts: 'false' }, // its installation script downloads the program
	});
	return stdout.trim();
}

module.exports = { installN8n, fetchNode, withTime };
if (require.main === module) void installN8n(console.log);
