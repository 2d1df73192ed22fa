/** Takes the pictures of the documents in n8n. They are no tests, so only this configuration runs them. */
module.exports = {
	...require('../jest.config'),
	rootDir: '../../..',
	roots: ['<rootDir>/test/e2e/pictures'],
	testMatch: ['**/take.ts'],
	testPathIgnorePatterns: ['/node_modules/'],
};
