import { globalIgnores } from 'eslint/config';
import { config } from '@n8n/node-cli/eslint';

/** Never runs on n8n Cloud, so the two rules about its runtime do not apply. */
const developerSide = {
	files: ['**/*.ts'],
	ignores: ['nodes/**', 'credentials/**'],
	rules: {
		'@n8n/community-nodes/no-restricted-imports': 'off',
		'@n8n/community-nodes/no-restricted-globals': 'off',
	},
};

export default [
	globalIgnores(['build', 'output', 'test/compat/*/', 'dev/n8n/.cache', 'dev/n8n/.n8n']),
	...config,
	developerSide,
];
