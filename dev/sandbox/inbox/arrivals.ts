import { isDeepStrictEqual } from 'node:util';

import type { FastifyRequest } from 'fastify';

import { refusals } from '../inventions';
import { KINDS, type Planned } from '../misbehaviour';
import type { Operation } from '../operations';
import type { SandboxResponse } from '../response';
import type { Arrival, Failure } from './shown';

export function messageArrival(body: Record<string, unknown>, { fields }: Operation): Arrival {
	const shown = fields
		.filter(({ name, isSecret }) => name !== 'toId' && !isSecret)
		.map(({ name, type }) => [name, (type === 'url' ? address : short)(String(body[name]))]);
	return {
		section: 'messages',
		entry: {
			toId: short(body.toId),
			instanceGuid: short(body.instance_guid),
			fields: Object.fromEntries(shown) as Record<string, string>,
		},
	};
}

/** What the caller gets to know of a response: nothing, if it does not come whole. */
export function heardOf(response: SandboxResponse, planned?: Planned): Partial<SandboxResponse> {
	return planned && KINDS[planned.kind].isUnheard ? {} : response;
}

/** Undefined if the call went well, or is none of the service's. */
export function failureOf(
	request: FastifyRequest,
	response: SandboxResponse,
	planned?: Planned,
): Failure | undefined {
	const isJustLate = planned?.kind === 'delay' && planned.isAccepted;
	const isFine = (!planned || isJustLate) && (response.said?.code ?? 0) === 0;
	const isTest = !planned && isCredentialTest(request, response);
	if (isFine || isTest || !isCall(request)) return undefined;
	const { status, said } = heardOf(response, planned);
	return {
		call: nameOf(request),
		toId: short((request.body as Partial<Record<string, unknown>> | null | undefined)?.toId),
		requestId: said?.requestId ?? '',
		status,
		code: said?.code,
		message: short(said?.message),
		told: planned ? KINDS[planned.kind].effect : '',
	};
}

/** The test of a credential calls without fields, on purpose: it passed if only these are missing. */
function isCredentialTest({ body }: FastifyRequest, { said }: SandboxResponse): boolean {
	return said?.code === refusals.badFields.code && isDeepStrictEqual(body, {});
}

/** A browser that asks for an icon, say, is no caller; the sandbox's own orders are no calls. */
function isCall({ method, url, routeOptions }: FastifyRequest): boolean {
	return !url.startsWith('/sandbox/') && (method === 'POST' || routeOptions.url !== undefined);
}

function nameOf({ method, url, routeOptions }: FastifyRequest): string {
	return routeOptions.config.name ?? short(`${method} ${url.split('?')[0]}`);
}

const LONGEST_TEXT = 300;
const LONGEST_ADDRESS = 2000;

function short(value: unknown): string {
	if (typeof value !== 'string') return '';
	return value.length > LONGEST_TEXT ? `${value.slice(0, LONGEST_TEXT)}…` : value;
}

/** Half an address leads nowhere. */
function address(value: string): string {
	return value.length <= LONGEST_ADDRESS ? value : '';
}
