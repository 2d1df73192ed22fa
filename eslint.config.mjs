import { globalIgnores } from 'eslint/config';
import { config } from '@n8n/node-cli/eslint';

export default [
	globalIgnores(['build', 'output', 'compat/*/', 'e2e/.cache', 'e2e/.n8n']),
	...config,
	{
		// Developer-side code never runs on n8n Cloud, so the two rules about its runtime do not apply.
		files: ['sandbox/**', 'engine/**', 'examples/**', 'test/**', 'e2e/**', 'bench/**', 'dev/**'],
		rules: {
			'@n8n/community-nodes/no-restricted-imports': 'off',
			'@n8n/community-nodes/no-restricted-globals': 'off',
		},
	},
];
