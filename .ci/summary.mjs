import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/**
 * Adds up Jest's results in a folder of `<part>.json`. Prints the slowest test files, then the sums. A part
 * without results, or without a passed test, counts as a failure.
 *
 * usage: node .ci/summary.mjs <folder> <part> …
 */

const SLOWEST = 10;

const [folder, ...parts] = process.argv.slice(2);
const count = { passed: 0, failed: 0 };
const files = [];

for (const part of parts) {
	const results = readdirSync(folder).filter(
		(name) => name.startsWith(part) && name.endsWith('.json'),
	);
	const passedBefore = count.passed;
	for (const name of results) {
		const result = JSON.parse(readFileSync(join(folder, name), 'utf8'));
		count.passed += result.numPassedTests;
		const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
		count.failed += failed || Number(!result.success);
		for (const { name: file, startTime, endTime } of result.testResults) {
			files.push({ part, file, seconds: (endTime - startTime) / 1000 });
		}
	}
	if (count.passed === passedBefore) {
		console.log(`${part}: no test has passed`);
		count.failed++;
	}
}

files.sort((one, other) => other.seconds - one.seconds);
for (const { part, file, seconds } of files.slice(0, SLOWEST)) {
	console.log(`${seconds.toFixed(1).padStart(6)} s  ${part}: ${relative(process.cwd(), file)}`);
}
console.log(`${count.passed} passed, ${count.failed} failed`);
process.exitCode = count.failed > 0 ? 1 : 0;
