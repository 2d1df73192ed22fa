const { readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

const config = require('../jest.config');

/** The whole of what `npm test` does a sample of: of the files that import thorough.ts. */
const files = readdirSync(__dirname).filter(
	(name) =>
		name.endsWith('.test.ts') &&
		readFileSync(join(__dirname, name), 'utf8').includes("from './thorough'"),
);

process.env.TEST_THOROUGH = 'true'; // Jest's workers inherit it

module.exports = {
	...config,
	rootDir: '..',
	testMatch: files.map((name) => `<rootDir>/test/${name}`),
};
