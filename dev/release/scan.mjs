import { dirname } from 'node:path';

import { pack } from './pack.mjs';

/**
 * Runs n8n's scanner for community packages before the package is published. n8n runs it on
 * the same two after that: the source, and the packed content (`analyzePackageByName` in
 * version 0.32.0 of the scanner).
 */

const { content } = pack();
process.env.TMPDIR = dirname(content); // the scanner leaves a folder behind there as it loads
const { analyzePackage, SOURCE_FILE_PATTERNS } = await import(
	'@n8n/scan-community-package/scanner/scanner.mjs'
);

const scans = [
	{ what: 'source', folder: process.cwd(), patterns: SOURCE_FILE_PATTERNS },
	{ what: 'packed content', folder: content, patterns: ['**/*.js', 'package.json'] },
];

for (const { what, folder, patterns } of scans) {
	const { passed, message, details = '' } = await analyzePackage(folder, patterns);
	console.log(`n8n's scanner, ${what}: ${passed ? 'passed' : `${message}\n${details}`}`);
	if (!passed) process.exitCode = 1;
}
