const { transform } = require('../jest.config');

module.exports = {
	rootDir: '..',
	testEnvironment: 'node',
	testMatch: ['<rootDir>/e2e/*.test.ts'],
	transform,
	globalSetup: '<rootDir>/e2e/globalSetup.ts',
	modulePathIgnorePatterns: ['<rootDir>/build/', '<rootDir>/e2e/\\.'],
	testTimeout: 120_000,
};
