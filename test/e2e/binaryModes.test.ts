import { outputOf } from '../../dev/engine/outputOf';
import { samples } from '../../dev/sandbox/samples';
import { NODE } from '../../dev/engine/workflows';
import { useN8n, useN8nAlone } from './setup';
import { digestOf, disk, downloadInto } from './storages';

const wanted = [samples.largeImage, samples.document];

describe.each([
	['filesystem', undefined, /^filesystem-v2:/],
	['database', { N8N_DEFAULT_BINARY_DATA_MODE: 'database' }, /^database:/],
	['memory', { N8N_DEFAULT_BINARY_DATA_MODE: 'default' }, undefined],
])('files in the %s', (_, env, idOfMode) => {
	const here = env ? useN8nAlone(env) : useN8n();

	test('come back whole, with name and MIME type, and reach the next node', async () => {
		const items = wanted.map(here.sandbox.fieldsOf);
		const { execution, files } = await downloadInto(disk(here), here.n8n, items);
		expect(execution.data.resultData.error).toBeUndefined();
		expect(files).toEqual(new Map(wanted.map(({ name, content }) => [name, digestOf(content)])));

		const binaries = outputOf(execution, NODE).map(({ binary }) => binary?.data);
		expect(binaries).toHaveLength(wanted.length);
		for (const [index, { name, mimeType, content }] of wanted.entries()) {
			const binary = binaries[index];
			expect(binary).toMatchObject({ fileName: name, mimeType });
			if (!idOfMode) {
				expect(binary?.id).toBeUndefined();
				expect(Buffer.from(binary?.data ?? '', 'base64')).toEqual(content);
				continue;
			}
			expect(binary?.id).toMatch(idOfMode);
			const { headers, body } = await here.n8n.binaryData(binary?.id ?? '', 'download');
			expect(body).toEqual(content);
			expect(headers.get('content-type')).toBe(mimeType);
			expect(headers.get('content-disposition')).toBe(
				`attachment; filename="${encodeURIComponent(name)}"`,
			);
		}
	});
});
