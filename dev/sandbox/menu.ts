import { isDeepStrictEqual } from 'node:util';

import type { Misbehaviour } from './misbehaviour';

const http = (status: number, more = {}): Misbehaviour => ({ kind: 'httpError', status, ...more });
const OF_GATEWAY = { hasEnvelope: false };

/**
 * What the node makes of a message after one try; whether it tries again by itself, and whether what
 * is in doubt has arrived. Links to files have none.
 */
type Outcome = 'sent' | 'rejected' | 'rejected, retried' | 'unknown' | 'unknown, arrives';

/** At least one of each kind. */
const rows: Array<[name: string, Outcome | undefined, Misbehaviour]> = [
	['Refuse 拒绝', 'rejected', { kind: 'refuse', code: 12345, message: 'no' }],
	['Code 0, but not sent 没有发出', 'unknown', { kind: 'notSent' }],
	['Refuse in msg 在 msg 中拒绝', 'rejected', { kind: 'msg' }],
	['HTTP 400', 'rejected', http(400)],
	['HTTP 429, too fast 太快', 'rejected, retried', http(429, { retryAfter: '2' })],
	['HTTP 500', 'unknown', http(500)],
	['HTTP 502 of a gateway 网关', 'unknown', http(502, OF_GATEWAY)],
	['HTTP 503 with an envelope 暂时不可用', 'rejected, retried', http(503)],
	['HTML page 网页', 'unknown', { kind: 'html' }],
	['Empty body 空响应', 'unknown', { kind: 'empty' }],
	['Late by 5 s 慢 5 秒', 'sent', { kind: 'delay', milliseconds: 5000 }],
	['No response 没有响应', 'unknown', { kind: 'hang' }],
	['Drop before reading 接收前断开', 'unknown', { kind: 'dropBeforeReading' }],
	['Drop after accepting 接受后断开', 'unknown, arrives', { kind: 'dropAfterAccepting' }],
	['Half a response 只有一半', 'unknown, arrives', { kind: 'truncate' }],
	['Stall halfway 中途停住', 'unknown, arrives', { kind: 'stall' }],
	['Expired link, HTTP 404 链接过期', undefined, http(404, OF_GATEWAY)],
	['Expired link, HTTP 410 链接过期', undefined, http(410, OF_GATEWAY)],
];

/** The misbehaviours to choose from. */
export const menu = rows.map(([name, outcome, told]) => {
	return { name, outcome, told, on: outcome ? undefined : ('file' as const) };
});

/** As the page calls it. */
export function nameOf(told: Misbehaviour): string {
	return menu.find((one) => isDeepStrictEqual(one.told, told))?.name ?? told.kind;
}
