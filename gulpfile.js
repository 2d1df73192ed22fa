const { src, dest } = require('gulp');

/** Copies what `tsc` does not: icons and codex files, into the same places under `dist`. */
function assets() {
	return src('nodes/**/*.{svg,json}', { base: '.' }).pipe(dest('dist'));
}

exports.default = assets;
