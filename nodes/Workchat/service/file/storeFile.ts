import type { IBinaryData, IDataObject, IExecuteFunctions } from 'n8n-workflow';

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
	// n8n looks for an extension in the name, and takes a name without one for it.
	const mimeType = naming.mimeType || (detected ?? (hasExtension(name) ? undefined : 'text/plain'));
	const fileName = named ?? withExtension(name, mimeType);
	const binary = await context.helpers.prepareBinaryData(received.content, fileName, mimeType);
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

function withExtension(name: string, mimeType: string | undefined): string {
	const extension = mimeType && extensionOf(mimeType);
	return extension && !hasExtension(name) ? `${name}.${extension}` : name;
}
