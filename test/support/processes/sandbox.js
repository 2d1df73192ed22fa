const { samples } = require('../../../build/dev/sandbox/samples.js');
const { startSandbox } = require('../../../build/dev/sandbox/server.js');

/** Starts a sandbox for each of the given answers to downloads, and prints where they are. */
async function main(answers) {
	const started = answers.map(async (answer) => {
		const sandbox = await startSandbox();
		sandbox.answerDownloads(answer);
		const { url, key } = sandbox;
		return { baseUrl: url, apiKey: key, file: sandbox.fieldsOf(samples.video) };
	});
	console.log(JSON.stringify(await Promise.all(started)));
}

void main(JSON.parse(process.argv[2]));
