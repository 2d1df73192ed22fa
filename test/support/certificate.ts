import { generate } from 'selfsigned';

/** A certificate of `localhost` and 127.0.0.1, or of some other host, that signs itself: a key in the repository would look real. */
export async function selfSigned(host = 'localhost'): Promise<{ key: string; cert: string }> {
	const subject = [{ name: 'commonName', value: host }];
	const names = [{ type: 2, value: host } as const];
	const extensions =
		host === 'localhost' ? undefined : [{ name: 'subjectAltName' as const, altNames: names }];
	const settings = { keyType: 'ec', algorithm: 'sha256', extensions } as const;
	const { private: key, cert } = await generate(subject, settings);
	return { key, cert };
}
