const { execFileSync } = require('node:child_process');

const config = require('../../jest.config');

/** The whole of what `npm test` does a sample of: of the files that import thorough.ts. */
const files = execFileSync('grep', ['-rlE', "/thorough'", 'test', '--include=*.test.ts'], {
	encoding: 'utf8',
});

process.env.TEST_THOROUGH = 'true'; // Jest's workers inherit it

module.exports = {
	...config,
	rootDir: '../..',
	testMatch: files
		.trim()
		.split('\n')
		.map((file) => `<rootDir>/${file}`),
};
