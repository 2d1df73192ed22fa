import { setTimeout as wait } from 'node:timers/promises';

/** Ends the process group that `pid` leads: what it started in its turn ends with it. */
export async function endGroup(pid: number): Promise<void> {
	if (!signalGroup(pid, 'SIGTERM')) return;
	const deadline = Date.now() + 20_000;
	while (signalGroup(pid, 0)) {
		if (Date.now() > deadline) signalGroup(pid, 'SIGKILL');
		await wait(50);
	}
}

function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
	try {
		return process.kill(-pid, signal);
	} catch {
		return false;
	}
}
