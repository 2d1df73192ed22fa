import type {
	ICredentialDataDecryptedObject,
	ICredentialTestFunction,
	ICredentialTestFunctions,
} from 'n8n-workflow';

import { Body } from './response/body';
import { checkedCredential } from './credential';
import { readBody, succeeded, type Envelope } from './response/envelope';
import { Failure } from './failure/failure';
import { axiosTimeout, openResponse } from './http/http';
import {
	CHECK_BASE_URL,
	CHECK_KEY,
	failureWith,
	responseFailure,
} from './response/responseFailure';
import { wordingOf } from './workchat';

/** Milliseconds; a person waits in front of the dialog. */
const TIMEOUT = 15_000;

/**
 * Behind the Test button of the credential. The service has no known health endpoint, so this asks
 * for something without a single field: a valid key gets an envelope back, and nothing is done.
 * @param path of an operation that does no harm
 */
export function connectionTest(path: string): ICredentialTestFunction {
	return async function (this, { data = {} }) {
		try {
			await probe(this.helpers, data, path);
			return {
				status: 'OK',
				message: 'The Workchat service answered and did not refuse the API key',
			};
		} catch (error) {
			return { status: 'Error', message: explained(error) };
		}
	};
}

/** Throws a {@link Failure} where the credential cannot work. */
async function probe(
	// The only request helper that n8n gives to a credential test; it applies no `authenticate`
	// (n8n-core 2.41.1, credentials-test-context.js).
	{ request }: ICredentialTestFunctions['helpers'],
	decrypted: ICredentialDataDecryptedObject,
	path: string,
): Promise<void> {
	const { apiKey, baseUrl } = checkedCredential(decrypted);
	const wording = wordingOf(apiKey, {}, { isRepeatable: true, fields: [] });
	const send = async () =>
		await request({
			method: 'POST',
			uri: baseUrl + path,
			headers: { 'Content-Type': 'application/json', 'X-Service-Key': apiKey },
			body: '{}',
			timeout: axiosTimeout(TIMEOUT),
			followRedirect: false,
			simple: false,
			resolveWithFullResponse: true,
			useStream: true,
		});
	const response = await openResponse(send, { timeout: TIMEOUT }, wording);
	const read = await readBody(await Body.of(response));
	const { envelope } = read;
	const isRedirect = response.status >= 300 && response.status < 400;
	if (!envelope || isRedirect || [401, 403, 404].includes(response.status)) {
		throw responseFailure(response, read, wording);
	}
	if (succeeded(envelope)) return;
	const isSaid = speaksOfTheKey(envelope);
	if (!isSaid && ![401, 403].includes(envelope.code)) return;
	throw failureWith(response, read, wording, {
		outcome: 'rejected',
		happened: isSaid ? 'does not accept the API key' : 'perhaps does not accept the API key',
		advice: CHECK_KEY,
	});
}

/** Characters of a message that are looked at. */
const LONGEST_MESSAGE = 2000;

const KEY = String.raw`\b(?:(?:auth|app)?key|token|secret|credentials?)\b|密[钥匙鑰]|秘[钥鑰]|令牌|凭[证据]|憑證`;
const WRONG =
	'invalid|illegal|incorrect|wrong|bad|expired|revoked|unknown|denied|refused|rejected|disabled|error|fail|mismatch|malformed|unrecogni[sz]ed|no such|' +
	'not (?:valid|found|exist|correct|recogni[sz]ed)|does not|错误|錯誤|无效|無效|失[效败敗]|过期|過期|不[正对匹存合]|非法|有误|[停禁]用|冻结';
const BETWEEN = String.raw`[^.,;!。，；！]{0,30}`;
const OF_THE_KEY = new RegExp(
	[
		String.raw`\b(?:api|service|access|secret)\s*key\b`,
		`(?:${KEY})${BETWEEN}(?:${WRONG})`,
		`(?:${WRONG})${BETWEEN}(?:${KEY})`,
		`\\btoken${BETWEEN}(?:required|missing|provided|为空)|(?:\\bno|missing|缺少)${BETWEEN}token\\b`,
		'authori[sz](?!ation key)|authenticat|\\bauth (?:fail|error)|credential|forbidden|permission|access denied',
		'\\blog(?:ged)? ?in\\b|\\bsign(?:ed)? in\\b|session (?:has )?expired',
		'授权|鉴权|认证|[权權]限|无权|未登[录陆錄]|请(?:先|重新)?登[录陆]|登[录陆](?:已)?(?:失效|过期|超时|态)|身份验证|拒绝访问|禁止访问|签名错误|会话(?:已)?过期',
	].join('|'),
	'i',
);
/** Fields of the request, JSON that cannot be read, an instance: they say nothing of the credential's key. */
const UNRELATED = [
	/file[\s_-]*(?:(?:aes|auth|authorization)[\s_-]*)?key|aes[\s_-]*key|文件(?:授权|aes)?\s*(?:密钥|key)/gi,
	/\bkeys?:?\s+(?:["'[`]\w+|\w*[a-z][A-Z]\w*)/g,
	/(?:unexpected|illegal) token|KeyError/gi,
	/(?:instance|device|实例|设备)[^.,;!。，；！]{0,20}/gi,
];

function speaksOfTheKey({ message }: Envelope): boolean {
	if (typeof message !== 'string') return false;
	const rest = UNRELATED.reduce(
		(text, unrelated) => text.replace(unrelated, ' '),
		message.slice(0, LONGEST_MESSAGE),
	);
	const words = rest.replace(/([a-z])(?=[A-Z])/g, '$1 ').replace(/[\s_-]+/g, ' ');
	return OF_THE_KEY.test(words);
}

function explained(error: unknown): string {
	return error instanceof Failure ? `${error.message}. ${adviceFor(error)}` : String(error);
}

/** A failure's own advice is for somebody who runs a workflow. */
function adviceFor({ advice, origin, outcome, details }: Failure): string {
	const { httpStatus = 0, code } = details;
	if (httpStatus === 429 || httpStatus >= 500) return 'Try again later.';
	const isNoReply = origin === 'network' && outcome === 'unknown';
	// A page may come from a firewall before the service.
	if ([401, 403].includes(httpStatus) && code === undefined)
		return `${CHECK_KEY} ${CHECK_BASE_URL}`;
	return isNoReply || (httpStatus >= 400 && code === undefined) ? CHECK_BASE_URL : advice;
}
