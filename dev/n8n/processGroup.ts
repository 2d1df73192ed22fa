import { setTimeout as wait } from 'node:timers/promises';

/** Ends the process group of `pid`, which includes all processes that it started. */
export async function endGroup(pid: number): Promise<void> {
	await signalUntilGone(pid, 'SIGTERM', 20_000);
	await signalUntilGone(pid, 'SIGKILL', 5000);
}

async function signalUntilGone(pid: number, signal: NodeJS.Signals, milliseconds: number) {
	const deadline = Date.now() + milliseconds;
	let isThere = signalGroup(pid, signal);
	while (isThere && Date.now() < deadline) {
		await wait(50);
		isThere = signalGroup(pid, 0);
	}
}

function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
	try {
		return process.kill(-pid, signal);
	} catch {
		return false;
	}
}
