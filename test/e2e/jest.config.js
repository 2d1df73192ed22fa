const { transform } = require('../../jest.config');

module.exports = {
	rootDir: '../..',
	testEnvironment: 'node',
	roots: ['<rootDir>/test/e2e'],
	transform,
	maxWorkers: 2, // one runs the longest journey, the other most of them
	workerGracefulExitTimeout: 10_000, // half a second is too little on a busy machine
	globalSetup: '<rootDir>/test/e2e/globalSetup.ts',
	testTimeout: 600_000, // for what hangs: a busy machine only takes longer
	forceExit: true, // a start that failed must not keep the others waiting
};
