import { installPrograms } from '../../dev/n8n/debian';
import { installN8n } from '../../dev/n8n/installation';

/** Everything the tests need is there before the first of them starts. */
export default async function globalSetup(): Promise<void> {
	const say = (line: string) => void process.stdout.write(`${line}\n`);
	await installPrograms(say);
	await installN8n(say);
}
