import { outputOf } from '../../dev/engine/outputOf';
import { FILLER } from '../../dev/sandbox/downloads';
import { samples, type Sample } from '../../dev/sandbox/samples';
import { NODE } from '../../dev/engine/workflows';
import { useN8n } from './setup';
import { digestOf, disk, downloadInto, s3, sftp, type StoredFile, useStorages } from './storages';

const here = useN8n();
const { sftpServer, s3Server } = useStorages(here);

const { largeImage, video, document, thumbnail } = samples;
const all = Object.values(samples);

describe.each([disk(here), sftp(sftpServer), s3(s3Server)])('$name', (storage) => {
	/** S3 alone keeps a MIME type: the one that our node found. */
	const storedAs = ({ name, content, mimeType }: Pick<Sample, 'name' | 'content' | 'mimeType'>) => {
		const file: StoredFile = digestOf(content);
		return [name, storage.name === 'S3' ? { ...file, mimeType } : file] as const;
	};

	test('keeps a file of each type byte for byte, under its name', async () => {
		const items = all.map(here.sandbox.fieldsOf);
		const { execution, files } = await downloadInto(storage, here.n8n, items);
		expect(execution.data.resultData.error).toBeUndefined();
		expect(new Set(all.map(({ fileType }) => fileType))).toEqual(new Set([1, 2, 3, 4, 5]));
		expect(outputOf(execution, NODE).map(({ binary }) => binary?.data)).toEqual(
			all.map(({ name, mimeType }) => expect.objectContaining({ fileName: name, mimeType })),
		);
		expect(files).toEqual(new Map(all.map(storedAs)));
	});

	test('keeps a name of many scripts', async () => {
		const name = 'отчёт 报告 é.pdf';
		const items = [here.sandbox.fieldsOf(document)];
		const options = { fileName: name };
		const { execution, files } = await downloadInto(storage, here.n8n, items, options);
		expect(execution.data.resultData.error).toBeUndefined();
		expect(files).toEqual(new Map([storedAs({ ...document, name })]));
	});

	test('keeps 50 MB byte for byte', async () => {
		const content = Buffer.alloc(50e6, FILLER);
		here.sandbox.answerDownloads({ as: 'link', content: content.length });
		const items = [{ ...here.sandbox.fieldsOf(video), fileSize: content.length }];
		const { execution, files } = await downloadInto(storage, here.n8n, items);
		expect(execution.data.resultData.error).toBeUndefined();
		expect(files).toEqual(new Map([storedAs({ ...video, content })]));
	});

	test('gets nothing of a download that failed', async () => {
		here.sandbox.misbehave({ kind: 'truncate' }, { on: 'file' });
		const items = [
			here.sandbox.fieldsOf(document), // ends too soon
			here.sandbox.fieldsOf(largeImage),
			{ ...here.sandbox.fieldsOf(thumbnail), fileAuthkey: 'not-the-right-one' },
		];
		const options = { maxConcurrency: 1, maxTries: 1 };
		const settings = { onError: 'continueErrorOutput' } as const;
		const result = await downloadInto(storage, here.n8n, items, options, settings);
		const { execution, files } = result;
		expect(execution.data.resultData.error).toBeUndefined();
		expect(files).toEqual(new Map([storedAs(largeImage)]));
		expect(outputOf(execution, 'After')).toHaveLength(1);
		expect(outputOf(execution, 'Failed').map(({ binary }) => binary)).toEqual([
			undefined,
			undefined,
		]);
	});
});
