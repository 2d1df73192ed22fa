import { createRequire } from 'node:module';

import { Engine, type WorkflowJson } from '../../engine/engine';
import { outputOf } from '../../engine/outputOf';
import { standIns } from '../../engine/standIns';
import { INSTANCE, type Target } from '../target';
import type { Work } from '../work';
import type { Contender } from './contender';
import { LAST } from './workflows';

/** A workflow on n8n's engine, with n8n's own nodes where ours is compared to them. */
export async function engineContender(
	workflowOf: (work: Work, target: Target) => WorkflowJson,
): Promise<Contender> {
	const requireFrom = createRequire(require.resolve('n8n-nodes-base/package.json'));
	const { HttpRequest } = requireFrom('./dist/nodes/HttpRequest/HttpRequest.node.js');
	const { ConvertToFile } = requireFrom('./dist/nodes/Files/ConvertToFile/ConvertToFile.node.js');
	standIns.set('n8n-nodes-base.httpRequest', new HttpRequest());
	standIns.set('n8n-nodes-base.convertToFile', new ConvertToFile());

	const credential = {};
	const engine = await Engine.start({ credential });
	return {
		async perform(work, target) {
			const { url, key } = target;
			const ours = { baseUrl: url, apiKey: key, defaultInstanceGuid: INSTANCE };
			const headerAuth = { name: 'X-Service-Key', value: key };
			Object.assign(credential, ours, headerAuth);
			const run = await engine.run(workflowOf(work, target));
			if (run.data.resultData.error) throw run.data.resultData.error;
			const items = outputOf(run, LAST);
			const bytes = items.reduce((sum, { binary }) => sum + (binary?.data?.bytes ?? 0), 0);
			return { items: items.length, bytes };
		},
		stop: async () => await engine.stop(),
	};
}
