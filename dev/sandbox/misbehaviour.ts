import type { FastifyReply } from 'fastify';

import { envelope, json, text, type SandboxResponse } from './response';

/** What the sandbox does instead of a proper response. */
export type Misbehaviour =
	| { kind: 'httpError'; status: number; retryAfter?: string; hasEnvelope?: boolean }
	| { kind: 'refuse'; code: number; message: string }
	/** For so long, or only until then. */
	| { kind: 'delay'; milliseconds: number; until?: Promise<void> }
	| { kind: 'notSent' | 'msg' | 'html' | 'empty' }
	| { kind: 'hang' | 'dropBeforeReading' | 'dropAfterAccepting' | 'truncate' | 'stall' };

type Of<Name> = Misbehaviour & { kind: Name };

export interface Kind<Name = Misbehaviour['kind']> {
	/** Parameters that it requires. */
	needs?: string[];
	/** The sandbox carries the call out, and only its response fails. */
	isAccepted?: true;
	/** Replaces the proper response. */
	instead?(misbehaviour: Of<Name>): SandboxResponse;
	/** Breaks the response off. The request is then recorded without status and envelope. */
	breakOff?(reply: FastifyReply, response: SandboxResponse): Promise<void> | void;
}

export const KINDS: { [Name in Misbehaviour['kind']]: Kind<Name> } = {
	httpError: { needs: ['status'], instead: httpError },
	refuse: {
		needs: ['code', 'message'],
		instead: ({ code, message }) => envelope(200, code, message, null),
	},
	// As public clients of compatible services show it.
	notSent: { instead: () => envelope(200, 0, 'success', { isSendSuccess: 0 }) },
	msg: { instead: () => json(200, { code: 500, msg: '对方不是好友', data: null }) },
	delay: { needs: ['milliseconds'], isAccepted: true },
	html: { instead: () => text(200, 'text/html', '<!doctype html><title>Sorry</title>') },
	empty: { instead: () => ({ status: 200, headers: {}, body: Buffer.alloc(0) }) },
	hang: { breakOff: (reply) => void reply.hijack() },
	dropBeforeReading: { breakOff: drop },
	dropAfterAccepting: { isAccepted: true, breakOff: drop },
	truncate: {
		isAccepted: true,
		breakOff: async (reply, response) => {
			await sendHalf(reply, response);
			drop(reply);
		},
	},
	stall: { isAccepted: true, breakOff: sendHalf },
};

function httpError({ status, retryAfter, hasEnvelope = true }: Of<'httpError'>): SandboxResponse {
	const response = hasEnvelope
		? envelope(status, status * 100, 'example failure', null)
		: text(status, 'text/html', `<!doctype html><title>${status}</title>`);
	if (retryAfter !== undefined) response.headers['retry-after'] = retryAfter;
	return response;
}

function drop(reply: FastifyReply): void {
	reply.hijack();
	reply.raw.socket?.destroy();
}

/** Announces the whole body and sends half of it. */
async function sendHalf(reply: FastifyReply, { status, headers, body }: SandboxResponse) {
	const whole = Buffer.isBuffer(body) ? body : Buffer.concat(await body.toArray());
	reply.hijack();
	reply.raw.writeHead(status, { ...headers, 'content-length': whole.length });
	await new Promise<void>((resolve) => {
		reply.raw.write(whole.subarray(0, Math.ceil(whole.length / 2)), () => resolve());
	});
}
