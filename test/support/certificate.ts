import { generate } from 'selfsigned';

/** A certificate of `localhost` and 127.0.0.1 that signs itself: a key in the repository would look real. */
export async function selfSigned(): Promise<{ key: string; cert: string }> {
	const subject = [{ name: 'commonName', value: 'localhost' }];
	const { private: key, cert } = await generate(subject, { keyType: 'ec', algorithm: 'sha256' });
	return { key, cert };
}
