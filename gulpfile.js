const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const { basename, dirname, join, posix } = require('node:path');
const { Transform } = require('node:stream');

const { build } = require('esbuild');
const { dest, parallel, src, watch } = require('gulp');
const { transpile } = require('typescript');

const { homepage, n8n } = require('./package.json');
const { compilerOptions } = require('./tsconfig.json');

const SOURCES = '{nodes,credentials}/**';
const DIST = process.env.DIST ?? 'dist';
/** One file loads more than twice as fast as one for each source, and can hold a library. */
const BUNDLE = 'workchat.js';

/** Every class that n8n loads: its file in the package, and its name. */
const classes = [...n8n.nodes, ...n8n.credentials].map((file) => ({
	path: file.replace('dist/', ''),
	name: basename(file).split('.')[0],
}));

/** The sources know no address of this project: package.json alone does. */
const withHomepage = (text) => text.replaceAll('https://homepage.invalid', homepage);

/** esbuild keeps some of the sources' comments, and has no option to leave out all. */
const withoutComments = {
	name: 'without comments',
	setup({ onLoad }) {
		onLoad({ filter: /\.ts$/ }, ({ path }) => {
			const source = withHomepage(readFileSync(path, 'utf8'));
			const options = { ...compilerOptions, module: 'esnext', removeComments: true };
			const mistakes = [];
			const contents = transpile(source, options, path, mistakes);
			return {
				contents,
				errors: mistakes.map(({ messageText }) => ({ text: String(messageText) })),
			};
		});
	},
};

/** Everything in one file, which imports n8n-workflow alone. */
async function bundle() {
	const exported = [
		...classes.map(({ path, name }) => `export { ${name} } from './${path.replace(/\.js$/, '')}';`),
		// The sandbox answers by this table; n8n takes no notice of it.
		`export { resources } from './nodes/Workchat/operations';`,
	];
	await build({
		stdin: { contents: exported.join('\n'), resolveDir: __dirname },
		outfile: join(DIST, BUNDLE),
		bundle: true,
		platform: 'node',
		target: 'node20',
		external: ['n8n-workflow'],
		charset: 'utf8',
		plugins: [withoutComments],
	});
}

/** n8n looks for each class in a file of its own. */
async function entries() {
	for (const { path, name } of classes) {
		const file = join(DIST, path);
		const bundled = posix.relative(dirname(path), BUNDLE);
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, `exports.${name} = require('${bundled}').${name};\n`);
	}
}

/** Icons and codex files. */
function assets() {
	const transform = (file, _encoding, done) => {
		file.contents = Buffer.from(withHomepage(String(file.contents)));
		done(null, file);
	};
	return src('nodes/**/*.{svg,json}', { base: '.' })
		.pipe(new Transform({ objectMode: true, transform }))
		.pipe(dest(DIST));
}

exports.default = parallel(bundle, entries, assets);
/** Builds anew whatever changes, into the folder that `DIST` names. */
exports.watch = () => watch(SOURCES, { ignoreInitial: false }, exports.default);
