import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Installation } from '../n8n/installation';
import { removeFolder, temporaryFolder } from '../n8n/processes';
import { Child } from './child';
import { N8nContender } from './contenders/n8n';
import { markdown } from './document';
import { NAMES, type Target, type Work } from './work';

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
	callFrame: { functionName: string; url: string };
	children?: number[];
}

/** To whom a function belongs. Of a stack, the innermost function that belongs to somebody counts. */
const OWNERS: Array<[owner: string, functionName: RegExp, url: RegExp]> = [
	['Waiting', /^\(idle\)$/, /^$/],
	['Garbage collection', /^\(garbage collector\)$/, /^$/],
	['Credential', /./, /credentials-helper|\/credentials\.js|\/encryption\//],
	['Credential', /getCredentials/i, /node-execution-context/],
	['Database', /./, /typeorm|sqlite|n8n\/db/],
	['Parameters', /getNodeParameter/i, /node-execution-context/],
	['Fingerprint', /^fingerprint$/, /n8n-nodes-workchat/],
	['The node itself', /./, /n8n-nodes-(workchat|base)|\/floor\//],
	['Request', /./, /axios|follow-redirects|backend-network|request-helpers|proxy-from-env/],
	['Request', /./, /^node:(_?http|net|dns|url|internal\/(streams|stream_base|url|dns))/],
];
const NOBODY = 'n8n and Node.js beside';

const WORK: Work = { kind: 'send', items: 2000, latency: 0, concurrency: 10, mapping: 'json' };
const PROFILED = ['workchat', 'floor', 'httpRequest'] as const;

/** Milliseconds per item. */
export type Profile = Record<string, number>;
export type Profiles = Record<(typeof PROFILED)[number], Profile>;

/** Where the time of sending a campaign goes. */
export async function profileSending(installation: Installation): Promise<Profiles> {
	const sandbox = new Child('sandbox.js', installation.env);
	try {
		const profiles: Partial<Profiles> = {};
		for (const name of PROFILED) profiles[name] = await profileOf(name, sandbox, installation);
		return profiles as Profiles;
	} finally {
		await sandbox.stop();
	}
}

async function profileOf(
	name: keyof Profiles,
	sandbox: Child,
	installation: Installation,
): Promise<Profile> {
	const folder = await temporaryFolder();
	const env = { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder}` };
	const target = await sandbox.ask<Target>({ tell: 'target' });
	const n8n = await N8nContender.start(name, target, installation, env);
	const { pid } = n8n;
	let window = { from: 0, to: 0 };
	try {
		// The first time warms up.
		for (let times = 0; times < 2; times++) {
			await sandbox.ask({ prepare: WORK });
			window = await n8n.perform(WORK);
		}
	} finally {
		await n8n.stop(); // this writes the profile
	}
	const file = (await readdir(folder)).find((entry) => entry.includes(`.${pid}.0.`)) ?? '';
	const profile = JSON.parse(await readFile(join(folder, file), 'utf8')) as CpuProfile;
	await removeFolder(folder);
	return timesOf(profile, window, WORK.items);
}

function timesOf(
	{ startTime, nodes, samples, timeDeltas }: CpuProfile,
	window: { from: number; to: number },
	items: number,
): Profile {
	const byId = new Map(nodes.map((node) => [node.id, node]));
	const parents = new Map(
		nodes.flatMap((node) => node.children?.map((child) => [child, node] as const) ?? []),
	);
	const ownerOf = (id: number): string => {
		for (let node = byId.get(id); node; node = parents.get(node.id)) {
			const { functionName, url } = node.callFrame;
			const found = OWNERS.find(([, name, file]) => name.test(functionName) && file.test(url));
			if (found) return found[0];
		}
		return NOBODY;
	};
	const owners = new Map(nodes.map(({ id }) => [id, ownerOf(id)]));
	const times: Profile = Object.fromEntries([...OWNERS.map(([owner]) => [owner, 0]), [NOBODY, 0]]);
	/** The monotonic clock is the same for all processes of a machine. */
	const offset = Number(process.hrtime.bigint()) / 1e6 - Date.now();
	let at = startTime;
	for (const [index, id] of samples.entries()) {
		at += timeDeltas[index] ?? 0;
		const wall = at / 1000 - offset;
		if (wall < window.from || wall > window.to) continue;
		const owner = owners.get(id) ?? NOBODY;
		times[owner] = (times[owner] ?? 0) + (timeDeltas[index + 1] ?? 0) / 1000 / items;
	}
	return times;
}

export function profileTable(profiles: Profiles): string {
	const rows = Object.keys(profiles.workchat).map((owner) => [
		owner,
		...PROFILED.map((name) => (profiles[name][owner] ?? 0).toFixed(3)),
	]);
	return markdown(['ms per item', ...PROFILED.map((name) => NAMES[name])], rows);
}
