import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { projectRoot } from '../projectRoot';

/** A file that somebody "sent" in the sandbox's chat. */
export interface Sample {
	/** As in the service's `fileType`. */
	fileType: number;
	name: string;
	mimeType: string;
	content: Buffer;
	/** Obviously fake; whoever asks for the file has to name them. */
	aesKey: string;
	authKey: string;
	/** Of its `fileUrl`, at which nothing can be fetched. */
	path: string;
}

/** One real file for each fileType, and a voice message, which is of type 5 too. */
export const samples = {
	largeImage: sample(1, 'photo.jpg', 'image/jpeg'),
	smallImage: sample(2, 'photo-small.jpg', 'image/jpeg'),
	thumbnail: sample(3, 'thumbnail.png', 'image/png'),
	video: sample(4, 'clip.mp4', 'video/mp4'),
	document: sample(5, 'report.pdf', 'application/pdf', '报告 2026.pdf'),
	voice: sample(5, 'voice.amr', 'audio/amr'),
};

function sample(fileType: number, file: string, mimeType: string, name = file): Sample {
	return {
		fileType,
		name,
		mimeType,
		content: readFileSync(join(projectRoot, 'dev', 'sandbox', 'samples', file)),
		aesKey: Buffer.from(`fake-key-${file}`.padEnd(16, '0').slice(0, 16)).toString('hex'),
		authKey: `fake-authkey-of-${file}`,
		path: `/cdn/${file}.encrypted`,
	};
}

/** The six fields that ask for a sample, less the instance. */
export interface FileFields {
	fileAeskey: string;
	fileAuthkey: string;
	fileSize: number;
	fileType: number;
	fileUrl: string;
}

/** @param base where the sandbox is found */
export function fieldsOf(
	{ aesKey, authKey, content, fileType, path }: Sample,
	base: string,
): FileFields {
	return {
		fileAeskey: aesKey,
		fileAuthkey: authKey,
		fileSize: content.length,
		fileType,
		fileUrl: base + path,
	};
}

export function sampleAt(fileUrl: string): Sample | undefined {
	return Object.values(samples).find(({ path }) => fileUrl.endsWith(path));
}
