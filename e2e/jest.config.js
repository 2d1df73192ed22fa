const { transform } = require('../jest.config');

module.exports = {
	rootDir: '..',
	testEnvironment: 'node',
	testMatch: ['<rootDir>/e2e/*.test.ts'],
	transform,
	modulePathIgnorePatterns: ['<rootDir>/build/', '<rootDir>/e2e/\\.'],
	testTimeout: 120_000,
};
