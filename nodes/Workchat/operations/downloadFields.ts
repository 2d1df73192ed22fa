import type { IDataObject } from 'n8n-workflow';

import { isBlank } from '../common/invisible';
import { findCandidates } from './fields/candidates';
import type { FieldGroup } from './fields/field';

/** As documented. `kind` is the name of a file without a name. Only a `file` may be a text. */
const FILE_TYPES = [
	{ value: 1, name: 'Large Image', kind: 'image' },
	{ value: 2, name: 'Small Image', kind: 'image' },
	{ value: 3, name: 'Video or Image Thumbnail', kind: 'thumbnail' },
	{ value: 4, name: 'Video', kind: 'video' },
	{ value: 5, name: 'File or Voice File', kind: 'file' },
];

/**
 * Other names of a link and its size in callbacks of compatible services, and its type; the best first:
 * `{ "fileAeskey": "…", "fileAuthkey": "…", "fileBigHttpUrl": "https://…", "fileBigSize": 90000 }`.
 */
const LINK_ALIASES: Array<[link: string, size: string, type: number]> = [
	['fileBigHttpUrl', 'fileBigSize', 1],
	['fileMiddleHttpUrl', 'fileMiddleSize', 2],
	['fileHttpUrl', 'fileSize', 5],
	['fileThumbHttpUrl', 'fileThumbSize', 3],
];
/** Fields that a compatible service adds only for a video: then `fileHttpUrl` has type 4. */
const VIDEO_FIELDS = ['duration', 'coverImageHttpUrl'];

/** The links of an object that have a size. `valueUnder` returns the object's value under any name. */
function findLinks(valueUnder: (name: string) => unknown) {
	const isVideo = VIDEO_FIELDS.some((name) => !isBlank(valueUnder(name)));
	return LINK_ALIASES.map(([link, size, type]) => ({
		link,
		type: type === 5 && isVideo ? 4 : type,
		values: { fileUrl: valueUnder(link), fileSize: valueUnder(size) },
	})).filter(({ values }) => !isBlank(values.fileUrl) && Number(values.fileSize) > 0);
}

/**
 * If an object has both keys but no `fileUrl`, uses its link of the given type, else the best one.
 * @param valueUnder returns the object's value under any name
 */
const resolveAliases: FieldGroup['resolveAliases'] = (values, valueUnder) => {
	const { fileAeskey, fileAuthkey, fileUrl, fileType } = values;
	if (isBlank(fileAeskey) || isBlank(fileAuthkey) || !isBlank(fileUrl)) return undefined;
	const links = findLinks(valueUnder);
	const chosen = links.find(({ type }) => type === Number(fileType)) ?? links[0];
	if (!chosen) return undefined;
	const type = Number(fileType) > 0 ? fileType : chosen.type;
	const notice = `File Type ${type} was taken from ${chosen.link}`;
	return { values: { ...chosen.values, fileType: type }, notice };
};

export const fileGroup: FieldGroup = {
	name: 'file',
	displayName: 'File',
	fields: [
		{ name: 'fileAeskey', label: 'File AES Key', type: 'text', isSecret: true },
		{ name: 'fileAuthkey', label: 'File Auth Key', type: 'text', isSecret: true },
		{
			name: 'fileSize',
			label: 'File Size',
			type: 'integer',
			description: 'A whole number. Its unit is not documented: pass on the number you have.',
		},
		{ name: 'fileType', label: 'File Type', type: 'integer', options: FILE_TYPES },
		{ name: 'fileUrl', label: 'File URL', type: 'url' },
	],
	resolveAliases,
	companions: ['fileName'],
};

/** What the user calls a file of a File Type: `image`. */
export function kindOf(fileType: unknown): string {
	return FILE_TYPES.find(({ value }) => value === fileType)?.kind ?? 'file';
}

/**
 * Finds other links to a requested file, beside its keys: "fileHttpUrl (File Type 4)".
 * @param sources JSON values, such as the input item
 */
export async function findOtherLinks(body: IDataObject, sources: unknown[]): Promise<string[]> {
	const candidates = await findCandidates(sources, fileGroup, { atAllDepths: true }).catch(
		() => [],
	);
	const links = candidates
		.filter(({ values }) => String(values.fileAuthkey) === body.fileAuthkey)
		.flatMap(({ valueUnder }) => findLinks(valueUnder))
		.filter(({ values }) => values.fileUrl !== body.fileUrl)
		.map(({ link, type }) => `${link} (File Type ${type})`);
	return [...new Set(links)];
}
