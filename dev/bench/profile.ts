import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

import type { Installation } from '../n8n/installation';
import { removeFolder, temporaryFolder } from '../n8n/processes';
import { Child } from './child';
import { N8nContender } from './contenders/n8n';
import { MAPPINGS, warmUpOf, type Mapping, type Target, type Work } from './work';

/** What V8 writes. */
interface CpuProfile {
	/** Microseconds of the monotonic clock. */
	startTime: number;
	nodes: ProfileNode[];
	/** The node that ran, and how long after the one before. */
	samples: number[];
	timeDeltas: number[];
}

interface ProfileNode {
	id: number;
	callFrame: { functionName: string; url: string; lineNumber: number };
	children?: number[];
}

const ITEMS = 1000;
/** The contenders' own code: a function of theirs is shown, and what it calls elsewhere. */
const OWN = /workchat\.js$|\/floor\//;
const SHOWN = 30;

/** Where the time of the first thousand messages goes, in milliseconds per item with all that is called. */
export async function profileSending(installation: Installation): Promise<string> {
	const sandbox = new Child('sandbox.js', installation.env);
	const tables: string[] = [];
	try {
		for (const mapping of MAPPINGS) {
			for (const name of ['workchat', 'floor'] as const) {
				const lines = await profileOf(name, mapping, sandbox, installation);
				tables.push([`## ${name}, ${mapping}`, ...lines].join('\n'));
			}
		}
	} finally {
		await sandbox.stop();
	}
	return tables.join('\n\n');
}

async function profileOf(
	name: 'workchat' | 'floor',
	mapping: Mapping,
	sandbox: Child,
	installation: Installation,
): Promise<string[]> {
	const folder = await temporaryFolder();
	const env = { NODE_OPTIONS: `--cpu-prof --cpu-prof-interval 250 --cpu-prof-dir=${folder}` };
	const target = await sandbox.ask<Target>({ tell: 'target' });
	const n8n = await N8nContender.start(name, target, installation, env);
	const { pid } = n8n;
	const work: Work = { kind: 'send', items: ITEMS, latency: 0, concurrency: 10, mapping };
	let window = { from: 0, to: 0 };
	try {
		for (const each of [warmUpOf(work), work]) {
			await sandbox.ask({ prepare: each });
			window = await n8n.perform(each);
		}
	} finally {
		await n8n.stop(); // this writes the profile
	}
	const file = (await readdir(folder)).find((entry) => entry.includes(`.${pid}.0.`)) ?? '';
	const profile = JSON.parse(await readFile(join(folder, file), 'utf8')) as CpuProfile;
	await removeFolder(folder);
	const times = [...timesOf(profile, window)].sort(([, one], [, other]) => other - one);
	return times.slice(0, SHOWN).map(([what, time]) => `${(time / ITEMS).toFixed(3)} ${what}`);
}

/** Milliseconds by function, those that it calls included. */
function timesOf(
	{ startTime, nodes, samples, timeDeltas }: CpuProfile,
	{ from, to }: { from: number; to: number },
): Map<string, number> {
	const byId = new Map(nodes.map((node) => [node.id, node]));
	const parents = new Map(
		nodes.flatMap((node) => node.children?.map((child) => [child, node] as const) ?? []),
	);
	const rowsOf = (id: number): Set<string> => {
		const rows = new Set<string>();
		let callee: ProfileNode | undefined;
		for (let node = byId.get(id); node; node = parents.get(node.id)) {
			const isOwn = OWN.test(node.callFrame.url);
			if (isOwn && callee && !OWN.test(callee.callFrame.url)) {
				rows.add(`${nameOf(node)} → ${nameOf(callee)}`);
			}
			if (isOwn) rows.add(nameOf(node));
			callee = node;
		}
		const { functionName } = byId.get(id)?.callFrame ?? {};
		if (functionName === '(garbage collector)') rows.add(functionName);
		return functionName === '(idle)' ? rows : rows.add('everything');
	};
	const rows = new Map(nodes.map(({ id }) => [id, rowsOf(id)]));
	const times = new Map<string, number>();
	/** The monotonic clock is the same for all processes of a machine. */
	let at = startTime / 1000 + Date.now() - Number(process.hrtime.bigint()) / 1e6;
	for (const [index, id] of samples.entries()) {
		at += (timeDeltas[index] ?? 0) / 1000;
		if (at < from || at > to) continue;
		for (const row of rows.get(id) ?? []) {
			times.set(row, (times.get(row) ?? 0) + (timeDeltas[index + 1] ?? 0) / 1000);
		}
	}
	return times;
}

function nameOf({ callFrame: { functionName, url, lineNumber } }: ProfileNode): string {
	return `${functionName || '(anonymous)'} ${basename(url)}:${lineNumber + 1}`;
}
