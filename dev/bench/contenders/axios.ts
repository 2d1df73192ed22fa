import { Child } from '../child';
import type { Contender, Done, Target, Work } from '../work';

/** The floor: what the requests alone cost in Node.js, over connections that are kept. */
export class AxiosContender implements Contender {
	private readonly loop: Child;

	/** @param folder where files are stored */
	constructor(target: Target, folder: string, env: NodeJS.ProcessEnv) {
		this.loop = new Child('contenders/axiosLoop.js', env, JSON.stringify(target), folder);
	}

	get pid(): number {
		return this.loop.pid;
	}

	async perform(work: Work): Promise<Done> {
		return await this.loop.ask(work);
	}

	async stop(): Promise<void> {
		await this.loop.stop();
	}
}
