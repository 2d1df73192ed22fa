/** A picture in a film: a still WebP, where it goes, and for how long it stays. */
export interface Still {
	webp: Buffer;
	/** Of its upper left corner; both are even. */
	x: number;
	y: number;
	width: number;
	height: number;
	milliseconds: number;
}

const HAS_ALPHA = 0x10;
const HAS_ANIMATION = 0x02;
/** A frame is drawn over the one before, and stays. */
const OVER_AND_STAYS = 0x02;

/** One file that shows the stills one after another, again and again (RFC 9649, section 2.7). */
export function animatedWebP(
	stills: Still[],
	{ width, height }: { width: number; height: number },
) {
	const canvas = Buffer.concat([
		Buffer.from([HAS_ALPHA | HAS_ANIMATION, 0, 0, 0]),
		uint24(width - 1),
		uint24(height - 1),
	]);
	const endlessOnWhite = Buffer.from([255, 255, 255, 255, 0, 0]);
	const chunks = [
		Buffer.from('WEBP'),
		chunk('VP8X', canvas),
		chunk('ANIM', endlessOnWhite),
		...stills.map((still) => chunk('ANMF', frameOf(still))),
	];
	return chunk('RIFF', Buffer.concat(chunks));
}

function frameOf({ webp, x, y, width, height, milliseconds }: Still): Buffer {
	const place = [x / 2, y / 2, width - 1, height - 1, milliseconds].map(uint24);
	return Buffer.concat([...place, Buffer.from([OVER_AND_STAYS]), imageIn(webp)]);
}

/** The chunk of a still that holds its pixels: of others, such as colour profiles, it has no need. */
function imageIn(webp: Buffer): Buffer {
	for (let at = 12; at < webp.length; ) {
		const size = webp.readUInt32LE(at + 4);
		const end = at + 8 + size + (size % 2);
		const name = webp.toString('latin1', at, at + 4);
		if (name === 'VP8 ' || name === 'VP8L') return webp.subarray(at, end);
		at = end;
	}
	throw new Error('There is no picture in this WebP');
}

function chunk(name: string, content: Buffer): Buffer {
	const size = Buffer.alloc(4);
	size.writeUInt32LE(content.length);
	return Buffer.concat([Buffer.from(name), size, content, Buffer.alloc(content.length % 2)]);
}

function uint24(value: number): Buffer {
	const bytes = Buffer.alloc(3);
	bytes.writeUIntLE(value, 0, 3);
	return bytes;
}
