/** Takes the pictures of the documents in a real n8n. No test: it runs only by `npm run pictures`. */
module.exports = {
	...require('../jest.config'),
	rootDir: '../../..',
	roots: ['<rootDir>/test/e2e/pictures'],
	testMatch: ['**/take.ts'],
	testPathIgnorePatterns: ['/node_modules/'],
};
