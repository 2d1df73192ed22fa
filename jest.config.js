const { availableParallelism } = require('node:os');

/** Types are checked by `npm run lint`; here they would only cost time. */
const transpileOnly = {
	tsconfig: 'tsconfig.check.json',
	diagnostics: false,
};

module.exports = {
	testEnvironment: '<rootDir>/test/support/environment.ts',
	globalSetup: '<rootDir>/test/support/globalSetup.ts',
	// Not in the temporary folder, where nothing is to stay.
	cacheDirectory: '<rootDir>/node_modules/.cache/jest',
	roots: ['<rootDir>/test'],
	testMatch: ['**/*.test.ts'],
	testSequencer: '<rootDir>/test/support/sequencer.js',
	// These have runners of their own.
	testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/(compat|e2e)/'],
	modulePathIgnorePatterns: ['<rootDir>/test/compat/'],
	// What takes long to load or to run there: each worker loads it once, outside of Jest's registry.
	moduleNameMapper: {
		'^(n8n-core|n8n-workflow|fastify|fast-check|axios)$': '<rootDir>/test/support/outside/$1.js',
		'/coreEnvironment$': '<rootDir>/test/support/outside/coreEnvironment.js',
	},
	transform: { '\\.ts$': ['ts-jest', transpileOnly] },
	testTimeout: 300_000, // for what hangs: a busy machine only takes longer
	// Some tests wait. Jest takes no more than 100% for a percentage, and 200% for 200 workers.
	maxWorkers: availableParallelism() + 1,
	// Its memory alone, 900 MB of n8n's engine, takes a busy machine longer than Jest's half second.
	workerGracefulExitTimeout: 10_000,
};
