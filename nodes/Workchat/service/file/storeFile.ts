import type { IBinaryData, IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { Failure, messageOf } from '../failure/failure';
import { bareName, hasExtension } from './fileName';
import { detectMimeType, extensionOf } from './mimeType';
import type { ReceivedFile } from './receiveFile';

export interface FileNaming {
	/** Name and MIME type that the user wants; empty to find them out. */
	fileName: string;
	mimeType: string;
	/** Name without extension for a file that comes with none. */
	kind: string;
}

export interface StoredFile {
	binary: IBinaryData;
	/** What the item's json says of the binary. */
	file: IDataObject;
}

/** Streams a received file into n8n's binary store. */
export async function storeFile(
	context: IExecuteFunctions,
	received: ReceivedFile,
	naming: FileNaming,
): Promise<StoredFile> {
	const named = bareName(naming.fileName) ?? received.fileName;
	const name = named ?? received.linkName ?? naming.kind;
	const detected = detectMimeType(received.first, received.contentType, name);
	// n8n looks for an extension in the name, and takes a name without one for it: `lookup` of
	// mime-types in prepareBinaryData (n8n-core 2.41.1, binary-helper-functions).
	const mimeType = naming.mimeType || (detected ?? (hasExtension(name) ? undefined : 'text/plain'));
	const fileName = named ?? withExtension(name, mimeType);
	const binary = await stored(context, received, fileName, mimeType);
	return {
		binary,
		file: {
			fileName,
			mimeType: binary.mimeType,
			bytes: received.bytes(),
			source: received.source,
		},
	};
}

async function stored(
	context: IExecuteFunctions,
	{ content, discard }: ReceivedFile,
	fileName: string,
	mimeType: string | undefined,
): Promise<IBinaryData> {
	try {
		return await context.helpers.prepareBinaryData(content, fileName, mimeType);
	} catch (error) {
		// Where n8n cannot open its store, it takes no byte and leaves the transfer as it is.
		discard();
		throw storeFailure(error);
	}
}

function storeFailure(error: unknown): Failure {
	if (error instanceof Failure) return error;
	return new Failure(`n8n could not store the file: ${messageOf(error)}`, {
		outcome: 'unknown',
		origin: 'n8n',
		advice: 'Check where n8n stores binary data, such as its disk space, then try again.',
	});
}

function withExtension(name: string, mimeType: string | undefined): string {
	const extension = mimeType && extensionOf(mimeType);
	return extension && !hasExtension(name) ? `${name}.${extension}` : name;
}
