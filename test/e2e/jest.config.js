const { transform } = require('../../jest.config');

/** `npm run e2e -- nightly` runs these alone; all else runs the eight journeys. */
const isNightly = process.argv.some((argument) => argument.includes('nightly'));

module.exports = {
	rootDir: '../..',
	testEnvironment: 'node',
	roots: ['<rootDir>/test/e2e'],
	testMatch: [`<rootDir>/test/e2e/${isNightly ? 'nightly/' : ''}*.test.ts`],
	transform,
	maxWorkers: 2, // one runs the longest journey, the other most of them
	workerGracefulExitTimeout: 10_000, // half a second is too little on a busy machine
	globalSetup: '<rootDir>/test/e2e/globalSetup.ts',
	testTimeout: 600_000, // for what hangs: a busy machine only takes longer
	forceExit: true, // a start that failed must not keep the others waiting
};
