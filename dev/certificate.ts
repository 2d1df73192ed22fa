import { generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto';

/**
 * A certificate of `localhost` and 127.0.0.1 that signs itself (X.509, RFC 5280), as Node makes
 * none, and a key in the repository would look real.
 */
export function selfSigned() {
	const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
	const ecdsaWithSha256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
	const commonName = sequence(oid(0x55, 0x04, 0x03), der(0x0c, Buffer.from('localhost')));
	const name = sequence(der(0x31, commonName));
	const hour = 3_600_000;
	const validity = sequence(time(Date.now() - hour), time(Date.now() + 30 * 24 * hour));
	const names = sequence(
		der(0x82, Buffer.from('localhost')),
		der(0x87, Buffer.from([127, 0, 0, 1])),
	);
	const subjectAltName = sequence(oid(0x55, 0x1d, 0x11), der(0x04, names));
	const body = sequence(
		der(0xa0, der(0x02, Buffer.from([2]))), // Version 3
		der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
		ecdsaWithSha256,
		name,
		validity,
		name,
		publicKey.export({ type: 'spki', format: 'der' }),
		der(0xa3, sequence(subjectAltName)),
	);
	const signature = der(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', body, privateKey)]));
	return {
		key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
		cert: new X509Certificate(sequence(body, ecdsaWithSha256, signature)).toString(),
	};
}

/** One value in DER (X.690): its tag, its length, its content. */
function der(tag: number, ...content: Buffer[]): Buffer {
	const bytes = Buffer.concat(content);
	const length =
		bytes.length < 0x80 ? [bytes.length] : [0x82, bytes.length >> 8, bytes.length & 0xff];
	return Buffer.concat([Buffer.from([tag, ...length]), bytes]);
}

const sequence = (...content: Buffer[]) => der(0x30, ...content);
const oid = (...bytes: number[]) => der(0x06, Buffer.from(bytes));

/** UTCTime: `YYMMDDhhmmssZ`. */
function time(milliseconds: number): Buffer {
	const digits = new Date(milliseconds).toISOString().replace(/\D/g, '').slice(2, 14);
	return der(0x17, Buffer.from(`${digits}Z`));
}
