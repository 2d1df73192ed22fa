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

/** It only measures: nobody ever sees it. */
const smallestNode = {
	files: ['dev/bench/floor/**'],
	rules: {
		'@n8n/community-nodes/icon-validation': 'off',
		'@n8n/community-nodes/node-connection-type-literal': 'off',
		'@n8n/community-nodes/node-usable-as-tool': 'off',
		'@n8n/community-nodes/require-node-description-fields': 'off',
	},
};

export default [
	globalIgnores(['build', 'output', 'test/compat/*/', 'dev/n8n/.cache', 'dev/n8n/.n8n']),
	...config,
	developerSide,
	smallestNode,
];
