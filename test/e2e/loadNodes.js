const { registerHooks } = require('node:module');
const { join, parse } = require('node:path');

/**
 * `node loadNodes.js <node_modules> [<package that shall seem to be missing>]`: loads all that n8n's
 * own packages list, as n8n does (n8n-core 2.41, directory-loader.js), and prints what cannot be.
 */
const [modules, hidden] = process.argv.slice(2);

if (hidden) {
	registerHooks({
		resolve(name, context, next) {
			if (name === hidden || name.startsWith(`${hidden}/`)) throw new Error(`${hidden} is hidden`);
			return next(name, context);
		},
	});
}

const loaded = [];
const failed = [];
for (const name of ['n8n-nodes-base', '@n8n/n8n-nodes-langchain']) {
	const folder = join(modules, name);
	const { nodes, credentials } = require(join(folder, 'package.json')).n8n;
	for (const file of [...nodes, ...credentials]) {
		const className = parse(file).name.split('.')[0];
		try {
			new (require(join(folder, file))[className])();
			loaded.push(className);
		} catch (error) {
			failed.push(`${className}: ${error.message}`);
		}
	}
}
// What they loaded may keep the process alive.
process.stdout.write(JSON.stringify({ loaded, failed }), () => process.exit());
