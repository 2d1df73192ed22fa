const fs = require('node:fs');
const { basename, dirname, join, posix, relative } = require('node:path');

const { build } = require('esbuild');
const { parallel, watch } = require('gulp');
const { flattenDiagnosticMessageText, transpile } = require('typescript');

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

/**
 * The sources know no address of this project: package.json alone does. In place of an example, which
 * is dead, there is none; "Docs" of a node then leads to npm (n8n 2.41, NodeSettings of the editor).
 */
const withHomepage = (text) =>
	text.replace(/https:\/\/homepage\.invalid([^'"]*)/g, (_, anchor) =>
		homepage.includes('//example.com') ? '' : homepage + anchor,
	);

/** Only what has changed, and at once, as other processes may read it meanwhile. */
function write(file, content) {
	if (fs.existsSync(file) && fs.readFileSync(file, 'utf8') === content) return;
	fs.mkdirSync(dirname(file), { recursive: true });
	const written = `${file}.${process.pid}`;
	fs.writeFileSync(written, content);
	fs.renameSync(written, file);
}

/** The files in a folder, without packages and hidden ones. */
function filesIn(folder) {
	return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
		const path = join(folder, entry.name);
		if (entry.name === 'node_modules' || entry.name.startsWith('.')) return [];
		return entry.isDirectory() ? filesIn(path) : path;
	});
}

/** esbuild keeps some of the sources' comments, and has no option to leave out all. */
const withoutComments = {
	name: 'without comments',
	setup({ onLoad }) {
		onLoad({ filter: /\.ts$/ }, ({ path }) => {
			const source = withHomepage(fs.readFileSync(path, 'utf8'));
			const options = { ...compilerOptions, module: 'esnext', inlineSourceMap: true };
			const mistakes = [];
			const contents = transpile(source, { ...options, removeComments: true }, path, mistakes);
			const lines = source.split('\n');
			const errors = mistakes.map(({ messageText, file, start, length }) => {
				const { line, character: column } = file.getLineAndCharacterOfPosition(start);
				const location = { file: relative('.', path), line: line + 1, column, length };
				const text = flattenDiagnosticMessageText(messageText, '\n');
				return { text, location: { ...location, lineText: lines[line] } };
			});
			return { contents, errors };
		});
	},
};

/** For the oldest Node.js that n8n runs on. */
async function compile(options) {
	const { outputFiles } = await build({
		platform: 'node',
		target: 'node20',
		charset: 'utf8',
		write: false,
		...options,
	});
	for (const { path, text } of outputFiles) write(path, text);
}

/**
 * Everything in one file, which imports n8n-workflow alone. n8n reads the map beside it
 * (source-map-support in bin/n8n of 2.41.1), so that a user's stack trace names the sources.
 */
async function bundle() {
	const exported = [
		...classes.map(({ path, name }) => `export { ${name} } from './${path.replace(/\.js$/, '')}';`),
		// The sandbox answers by this table; n8n takes no notice of it.
		`export { resources } from './nodes/Workchat/operations';`,
	];
	await compile({
		stdin: { contents: exported.join('\n'), resolveDir: __dirname },
		outfile: join(DIST, BUNDLE),
		bundle: true,
		sourcemap: true,
		sourcesContent: false,
		external: ['n8n-workflow'],
		plugins: [withoutComments],
	});
	// n8n looks for each class in a file of its own.
	for (const { path, name } of classes) {
		const bundled = posix.relative(dirname(path), BUNDLE);
		write(join(DIST, path), `exports.${name} = require('${bundled}').${name};\n`);
	}
}

/** Icons and codex files. */
async function assets() {
	for (const file of filesIn('nodes').filter((path) => /\.(svg|json)$/.test(path))) {
		write(join(DIST, file), withHomepage(fs.readFileSync(file, 'utf8')));
	}
}

/** `dev/` file by file, for all that is run from there. */
async function tools() {
	await compile({
		entryPoints: filesIn('dev').filter((path) => path.endsWith('.ts')),
		outbase: '.',
		outdir: 'build',
		format: 'cjs',
	});
}

const theNode = parallel(bundle, assets);
exports.default = parallel(theNode, tools);

async function anew() {
	await Promise.all([bundle(), assets()]).then(
		() => console.log('Built again.'),
		// esbuild has said what is wrong, and where.
		({ errors, message }) =>
			console.error(errors ? 'Not built. Fix the error and save again.' : message),
	);
}
/**
 * Builds the package anew whenever it changes, into the folder that `DIST` names. gulp is given no
 * watcher, as with the watcher's first error the task would end (gulp 5, async-done).
 */
exports.watch = async () => {
	watch(SOURCES, anew);
	await new Promise(() => {});
};
