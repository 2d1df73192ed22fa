import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { WorkflowJson } from '../engine/engine';
import { projectRoot } from '../projectRoot';
import { COVER } from '../sandbox/inventions';

export const EXAMPLES = [
	'send-feed-video',
	'download-files',
	'what-comes-in',
	'campaign',
	'alert-when-a-workflow-fails',
	'send-one-video',
	'ai-agent-that-sends-a-video',
] as const;

export type ExampleName = (typeof EXAMPLES)[number];

/** The trigger of the examples that start by hand. */
export const EXAMPLE_TRIGGER = 'When clicking ‘Execute workflow’';

/** The places that an example uses. */
interface Places {
	/** The sandbox's origin, or empty. */
	sandbox: string;
	/** The folder for files. */
	files: string;
}

/** Reads an example workflow, and replaces its places by those of this run. */
export async function readExample(name: ExampleName, places: Places): Promise<WorkflowJson> {
	let text = await readFile(join(projectRoot, 'examples', `${name}.workflow.json`), 'utf8');
	const replacements = {
		'http://localhost:4010': places.sandbox,
		'/home/node/.n8n-files': places.files,
		// So that the sandbox's page can show the images.
		...(places.sandbox && {
			'https://example.com/cover.jpg': places.sandbox + COVER,
			'https://example.com/head.jpg': places.sandbox + COVER,
		}),
	};
	for (const [from, to] of Object.entries(replacements)) {
		text = text.replaceAll(from, inJsonInJson(to));
	}
	return JSON.parse(text) as WorkflowJson;
}

/** The examples contain JSON as text, so a backslash has to be escaped twice. */
const inJsonInJson = (text: string) =>
	JSON.stringify(JSON.stringify(text).slice(1, -1)).slice(1, -1);
