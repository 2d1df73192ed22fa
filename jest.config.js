/** Types are checked by `npm run lint`; here they would only cost time. */
const transpileOnly = {
	tsconfig: 'tsconfig.check.json',
	diagnostics: false,
};

module.exports = {
	testEnvironment: 'node',
	testMatch: ['<rootDir>/test/**/*.test.ts'],
	transform: { '\\.ts$': ['ts-jest', transpileOnly] },
	modulePathIgnorePatterns: ['<rootDir>/build/', '<rootDir>/output/', '<rootDir>/compat/'],
	testTimeout: 30_000,
	maxWorkers: 2,
};
