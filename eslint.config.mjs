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

// What is built of these has no node beside it: it loads the package, as n8n does.
const tools = {
	files: ['dev/**/*.ts'],
	rules: {
		'@typescript-eslint/no-restricted-imports': [
			'error',
			{ patterns: [{ regex: '/nodes/Workchat/', allowTypeImports: true }] },
		],
	},
};

export default [
	globalIgnores(['build', 'output', 'test/compat/*/', 'dev/n8n/.cache', 'dev/n8n/.n8n']),
	...config,
	developerSide,
	tools,
];
