/**
 * Puts the code of this folder into the workflows, whose Code nodes share parts of it.
 * With `--check`, only says whether it stands there: node examples/code/put.mjs [--check]
 */
import { readFileSync, writeFileSync } from 'node:fs';

const asks = ['ids', 'not-on-do-not-contact'];
const CODE = {
	'what-comes-in': { 'Not on Do-Not-Contact': [...asks, 'forward'] },
	'send-one-video': { 'Not on Do-Not-Contact': [...asks, 'send-one-video'] },
	campaign: {
		'Who Is Due': ['ids', 'settings', 'tables', 'video', 'file', 'who-is-due'],
		'What to Ask': ['reasons', 'question'],
		'New People': ['new-people'],
		'Still Due': ['ids', 'still-due'],
		'What Became of It': ['what-became-of-it'],
		Result: ['reasons', 'result'],
	},
};

const read = (name) => readFileSync(new URL(name, import.meta.url), 'utf8');
for (const [name, nodes] of Object.entries(CODE)) {
	const path = `../${name}.workflow.json`;
	const workflow = JSON.parse(read(path));
	for (const [node, parts] of Object.entries(nodes)) {
		const { parameters } = workflow.nodes.find((each) => each.name === node);
		parameters.jsCode = parts.map((part) => read(`${part}.js`)).join('\n');
	}
	const text = `${JSON.stringify(workflow, null, '\t')}\n`;
	if (!process.argv.includes('--check')) writeFileSync(new URL(path, import.meta.url), text);
	else if (JSON.stringify(JSON.parse(read(path))) !== JSON.stringify(workflow)) {
		throw new Error(`${name} has other code: node examples/code/put.mjs`);
	}
}
