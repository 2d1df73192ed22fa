import { isDeepStrictEqual } from 'node:util';

import type { Misbehaviour } from './misbehaviour';

const http = (status: number, more = {}): Misbehaviour => ({ kind: 'httpError', status, ...more });
const OF_GATEWAY = { hasEnvelope: false };

/**
 * The outcome that the node reports for a message after one attempt; whether the node tries again by itself,
 * and whether an unknown message arrived. Links to files have none.
 */
type Outcome = 'sent' | 'rejected' | 'rejected, retried' | 'unknown' | 'unknown, arrives';

/** At least one of each kind. */
const rows: Array<[en: string, zh: string, Outcome | undefined, Misbehaviour]> = [
	['Refuse', '拒绝', 'rejected', { kind: 'refuse', code: 12345, message: 'no' }],
	['Code 0, but not sent', 'code 为 0，但没有发出', 'unknown', { kind: 'notSent' }],
	['Refuse in msg', '在 msg 中拒绝', 'rejected', { kind: 'msg' }],
	['HTTP 400', 'HTTP 400', 'rejected', http(400)],
	['HTTP 429, too fast', 'HTTP 429，请求过多', 'rejected, retried', http(429, { retryAfter: '2' })],
	['HTTP 500', 'HTTP 500', 'unknown', http(500)],
	['HTTP 502 of a gateway', 'HTTP 502，来自网关', 'unknown', http(502, OF_GATEWAY)],
	['HTTP 503 with an envelope', 'HTTP 503，带统一返回结构', 'rejected, retried', http(503)],
	['HTML page', '返回网页', 'unknown', { kind: 'html' }],
	['Empty body', '空响应', 'unknown', { kind: 'empty' }],
	['5 s late', '延迟 5 秒', 'sent', { kind: 'delay', milliseconds: 5000 }],
	['No response', '没有响应', 'unknown', { kind: 'hang' }],
	['Disconnect before reading', '读取前断开', 'unknown', { kind: 'dropBeforeReading' }],
	['Disconnect after accepting', '接收后断开', 'unknown, arrives', { kind: 'dropAfterAccepting' }],
	['Half a response', '响应只有一半', 'unknown, arrives', { kind: 'truncate' }],
	['Stall halfway', '响应中途停住', 'unknown, arrives', { kind: 'stall' }],
	['Expired link, HTTP 404', '链接过期，HTTP 404', undefined, http(404, OF_GATEWAY)],
	['Expired link, HTTP 410', '链接过期，HTTP 410', undefined, http(410, OF_GATEWAY)],
];

/** The misbehaviours to choose from, with their names in both languages of the page. */
export const menu = rows.map(([en, zh, outcome, misbehaviour]) => {
	return { name: { en, zh }, outcome, misbehaviour, on: outcome ? undefined : ('file' as const) };
});

/** The name of a misbehaviour on the page. */
export function nameOf(misbehaviour: Misbehaviour): { en: string; zh: string } {
	const listed = menu.find((one) => isDeepStrictEqual(one.misbehaviour, misbehaviour));
	return listed?.name ?? { en: misbehaviour.kind, zh: misbehaviour.kind };
}
