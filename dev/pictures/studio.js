/** In a page of its own: puts screenshots below each other. */

const canvas = document.createElement('canvas');
const drawing = canvas.getContext('2d');

/**
 * @param screenshots PNG in base64, from the top to the bottom
 * @param click where the mouse is being clicked, if it is
 * @returns one PNG in base64
 */
globalThis.composed = async (screenshots, click) => {
	const images = await Promise.all(screenshots.map(decoded));
	canvas.width = Math.max(...images.map(({ width }) => width));
	canvas.height = images.reduce((sum, { height }) => sum + height, 0);
	let top = 0;
	for (const image of images) {
		drawing.drawImage(image, 0, top);
		top += image.height;
	}
	if (click) drawClick(click);
	return canvas.toDataURL().split(',')[1];
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
