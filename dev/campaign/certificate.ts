import { generateKeyPairSync, sign, X509Certificate } from 'node:crypto';

/** A certificate for 127.0.0.1, signed with its own key: Node makes none by itself. */
export function selfSigned(): { cert: string; key: string } {
	const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
	const name = sequence(der(0x31, sequence(hex('0603550403'), der(0x0c, Buffer.from('campaign')))));
	const address = der(0x30, der(0x87, Buffer.from([127, 0, 0, 1])));
	const extensions = der(0xa3, sequence(sequence(hex('0603551d11'), der(0x04, address))));
	const content = sequence(
		der(0xa0, hex('020102')),
		hex('020101'),
		ECDSA_WITH_SHA256,
		name,
		sequence(...['200101000000Z', '491231235959Z'].map((date) => der(0x17, Buffer.from(date)))),
		name,
		publicKey.export({ type: 'spki', format: 'der' }),
		extensions,
	);
	const signature = der(0x03, Buffer.from([0]), sign('sha256', content, privateKey));
	return {
		cert: new X509Certificate(sequence(content, ECDSA_WITH_SHA256, signature)).toString(),
		key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
	};
}

const hex = (text: string) => Buffer.from(text, 'hex');
const sequence = (...parts: Uint8Array[]) => der(0x30, ...parts);
const ECDSA_WITH_SHA256 = sequence(hex('06082a8648ce3d040302'));

/** ASN.1 in its distinguished encoding: tag, length, content. */
function der(tag: number, ...parts: Uint8Array[]): Buffer {
	const content = Buffer.concat(parts);
	const { length } = content;
	const size =
		length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
	return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
