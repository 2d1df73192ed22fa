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

/** Imports run one way: node, callback, operations, execution, service, common. Tests may import tools, never the reverse. */
const layer = (target, ...mayImport) => ({
	target,
	from: 'nodes/Workchat',
	except: mayImport,
});
const oneWay = {
	files: ['**/*.ts'],
	rules: {
		// dev/n8n has a package.json of its own, for what runs beside the node.
		'import-x/no-extraneous-dependencies': ['error', { includeTypes: true, packageDir: '.' }],
		'import-x/no-restricted-paths': [
			'error',
			{
				zones: [
					layer('nodes/Workchat/callback', 'callback', 'operations', 'common'),
					layer('nodes/Workchat/operations', 'operations', 'execution', 'service', 'common'),
					layer('nodes/Workchat/execution', 'execution', 'service', 'common'),
					{ target: 'nodes/Workchat/execution', from: 'nodes/Workchat/service/http' },
					layer('nodes/Workchat/service', 'service', 'common'),
					layer('nodes/Workchat/common', 'common'),
					layer('credentials', 'service'),
					{ target: 'nodes', from: ['credentials', 'dev', 'test'] },
					{ target: 'credentials', from: ['dev', 'test'] },
					{ target: 'dev', from: 'test' },
				],
			},
		],
	},
};

// Once built, these have no source of the node beside them: they load the package, as n8n does.
const tools = {
	files: ['dev/**/*.ts'],
	rules: {
		'@typescript-eslint/no-restricted-imports': [
			'error',
			{ patterns: [{ regex: '/nodes/Workchat/', allowTypeImports: true }] },
		],
	},
};

// parseUrl takes no text that is so long that parsing it holds up n8n.
const parsesUrls = {
	files: ['nodes/**/*.ts', 'credentials/**/*.ts'],
	ignores: ['nodes/Workchat/service/http/url.ts'],
	rules: {
		'no-restricted-syntax': [
			'error',
			{
				selector: 'NewExpression[callee.name="URL"], MemberExpression[object.name="URL"]',
				message: 'parseUrl of service/http/url.ts reads URLs.',
			},
		],
	},
};

// Parameters of methods in interfaces are compared both ways, those of properties as they should be.
const strictMembers = {
	files: ['nodes/**/*.ts'],
	rules: { '@typescript-eslint/method-signature-style': ['error', 'property'] },
};

export default [
	// n8n makes functions of examples/code.
	globalIgnores([
		'build',
		'output',
		'examples/code',
		'test/compat/*/',
		'dev/n8n/.cache',
		'dev/n8n/.n8n',
	]),
	...config,
	developerSide,
	oneWay,
	tools,
	parsesUrls,
	strictMembers,
];
