import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { projectRoot } from '../projectRoot';

/** One real file for each fileType, and a voice message, which is of type 5 too. */
export const samples = {
	largeImage: sample(1, 'photo.jpg', 'image/jpeg'),
	smallImage: sample(2, 'photo-small.jpg', 'image/jpeg'),
	thumbnail: sample(3, 'thumbnail.png', 'image/png'),
	video: sample(4, 'clip.mp4', 'video/mp4'),
	document: sample(5, 'report.pdf', 'application/pdf', '报告 2026.pdf'),
	voice: sample(5, 'voice.amr', 'audio/amr'),
};

export type Sample = ReturnType<typeof sample>;

/** A file that a customer "sent" in the sandbox. */
function sample(fileType: number, file: string, mimeType: string, name = file) {
	const content = readFileSync(join(projectRoot, 'dev', 'sandbox', 'samples', file));
	return {
		name,
		mimeType,
		content,
		/** Of its `fileUrl`, from which nothing can be downloaded. */
		path: `/cdn/${file}.encrypted`,
		/** A download of the file needs these keys, which are obviously fake. */
		fields: {
			fileAeskey: Buffer.from(`fake-key-${file}`.padEnd(16, '0').slice(0, 16)).toString('hex'),
			fileAuthkey: `fake-authkey-of-${file}`,
			fileSize: content.length,
			fileType,
		},
	};
}

export type FileFields = ReturnType<typeof fieldsOf>;

/**
 * The fields with which a sample can be downloaded, except for the instance.
 * @param base the sandbox's origin
 */
export function fieldsOf({ fields, path }: Sample, base: string) {
	return { ...fields, fileUrl: base + path };
}
