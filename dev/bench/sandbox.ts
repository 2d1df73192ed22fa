import { selfSigned } from '../certificate';
import { samples } from '../sandbox/samples';
import { startSandbox, type Sandbox } from '../sandbox/server';
import { answerOrders } from './child';
import { Line } from './line';
import type { Target, Work } from './work';

/** To make ready for a work, or to tell how it is reached, or how many requests came since. */
export type Order = { prepare: Work } | { tell: 'target' | 'requests' };

/** The sandbox has a process of its own, as it would take time and memory from what is measured. */
async function main(): Promise<void> {
	const sandbox = await startSandbox();
	const tls = selfSigned();
	const line = await Line.start(tls, Number(new URL(sandbox.url).port));
	const target: Target = {
		url: sandbox.url,
		farUrl: `https://127.0.0.1:${line.port}`,
		certificate: tls.cert,
		key: sandbox.key,
		file: sandbox.fieldsOf(samples.video),
	};
	answerOrders(async (order: Order) => {
		if ('tell' in order) return order.tell === 'target' ? target : sandbox.requests.length;
		prepare(sandbox, order.prepare);
		line.roundTrip = (order.prepare.kind === 'send' && order.prepare.roundTrip) || 0;
		return {};
	});
}

function prepare(sandbox: Sandbox, work: Work): void {
	sandbox.reset();
	if (work.kind === 'download') {
		sandbox.answerDownloads({ as: work.as, content: work.bytes });
	} else if (work.latency > 0) {
		sandbox.misbehave({ kind: 'delay', milliseconds: work.latency }, { times: Infinity });
	}
}

void main();
