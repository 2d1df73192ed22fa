/** Types are checked by `npm run lint`; here they would only cost time. */
const transpileOnly = {
	tsconfig: 'tsconfig.check.json',
	diagnostics: false,
};

module.exports = {
	testEnvironment: 'node',
	roots: ['<rootDir>/test'],
	testMatch: ['**/*.test.ts'],
	transform: { '\\.ts$': ['ts-jest', transpileOnly] },
	testTimeout: 30_000,
	maxWorkers: 2,
};
