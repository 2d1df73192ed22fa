/** In a page of its own: puts screenshots below each other, and gives what changed as WebP. */

const canvas = document.createElement('canvas');
const drawing = canvas.getContext('2d', { willReadFrequently: true });
let before;

/**
 * @param screenshots PNG in base64, from the top to the bottom
 * @param click where the mouse is being clicked, if it is
 * @returns the part that differs from the last time; nothing where none does
 */
globalThis.changed = async (screenshots, click) => {
	const images = await Promise.all(screenshots.map(decoded));
	canvas.width = Math.max(...images.map(({ width }) => width));
	canvas.height = images.reduce((sum, { height }) => sum + height, 0);
	let top = 0;
	for (const image of images) {
		drawing.drawImage(image, 0, top);
		top += image.height;
	}
	if (click) drawClick(click);

	const { width, height } = canvas;
	const { data } = drawing.getImageData(0, 0, width, height);
	const pixels = new Uint32Array(data.buffer);
	const box = boxOf(pixels, before, width, height);
	before = pixels;
	return box && { ...box, webp: await webpOf(box), canvas: { width, height } };
};

async function decoded(png) {
	return await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
}

function drawClick({ x, y }) {
	drawing.beginPath();
	drawing.arc(x, y, 16, 0, 2 * Math.PI);
	drawing.fillStyle = 'rgb(0 0 0 / 25%)';
	drawing.fill();
}

/** The smallest box, with an even corner, around all pixels that differ. */
function boxOf(pixels, others, width, height) {
	if (others?.length !== pixels.length) return { x: 0, y: 0, width, height };
	let [left, top, right, bottom] = [width, height, -1, -1];
	for (let index = 0; index < pixels.length; index++) {
		if (pixels[index] === others[index]) continue;
		const x = index % width;
		const y = (index - x) / width;
		left = Math.min(left, x);
		right = Math.max(right, x);
		top = Math.min(top, y);
		bottom = Math.max(bottom, y);
	}
	if (right < 0) return undefined;
	const x = left - (left % 2);
	const y = top - (top % 2);
	return { x, y, width: right + 1 - x, height: bottom + 1 - y };
}

/** Without loss, in base64. */
async function webpOf({ x, y, width, height }) {
	const part = new OffscreenCanvas(width, height);
	part.getContext('2d').drawImage(canvas, -x, -y);
	const blob = await part.convertToBlob({ type: 'image/webp', quality: 1 });
	return btoa(
		Array.from(new Uint8Array(await blob.arrayBuffer()), (byte) => String.fromCharCode(byte)).join(
			'',
		),
	);
}
