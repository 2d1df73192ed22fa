import type { FastifyInstance } from 'fastify';

const COUNT = 6;

/** Where the sandbox has a sample cover; they repeat. */
export const coverPath = (number: number) => `/sandbox/covers/${(number % COUNT) + 1}.svg`;

/** Pictures for videos that have none to show. */
export function serveCovers(app: FastifyInstance): void {
	for (let number = 0; number < COUNT; number++) {
		app.get(coverPath(number), async (_, reply) => {
			await reply.type('image/svg+xml').send(cover((number * 360) / COUNT + 15));
		});
	}
}

/** Hills under a sun, in colours around one hue. */
function cover(hue: number): string {
	const colour = (turn: number, light: number) => `hsl(${(hue + turn) % 360} 55% ${light}%)`;
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 180">
<rect width="320" height="180" fill="${colour(0, 82)}"/>
<circle cx="${60 + (hue % 200)}" cy="58" r="26" fill="${colour(40, 92)}"/>
<path d="M0 130Q80 60 160 120T320 90V180H0z" fill="${colour(15, 60)}"/>
<path d="M0 160Q110 95 200 150T320 140V180H0z" fill="${colour(30, 42)}"/>
</svg>
`;
}
