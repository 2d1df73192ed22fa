const { transform } = require('../../jest.config');

module.exports = {
	rootDir: '../..',
	testEnvironment: 'node',
	roots: ['<rootDir>/test/e2e'],
	testMatch: ['<rootDir>/test/e2e/*.test.ts'],
	transform,
	globalSetup: '<rootDir>/test/e2e/globalSetup.ts',
	testTimeout: 120_000,
	forceExit: true, // a start that failed must not keep the others waiting
};
