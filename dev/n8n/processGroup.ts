import { setTimeout as wait } from 'node:timers/promises';

/** Ends the process group that `pid` leads: what it started in its turn ends with it. */
export async function endGroup(pid: number): Promise<void> {
	if (!signalGroup(pid, 'SIGTERM')) return;
	if (await isGone(pid, 20_000)) return;
	signalGroup(pid, 'SIGKILL');
	await isGone(pid, 5000);
}

async function isGone(pid: number, milliseconds: number): Promise<boolean> {
	const deadline = Date.now() + milliseconds;
	while (signalGroup(pid, 0)) {
		if (Date.now() > deadline) return false;
		await wait(50);
	}
	return true;
}

function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
	try {
		return process.kill(-pid, signal);
	} catch {
		return false;
	}
}
