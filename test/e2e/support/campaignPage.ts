import { setTimeout as wait } from 'node:timers/promises';

import { eventually } from './editor';
import type { Here } from './setup';
import type { Workflow } from './workflow';

/** What the page reads: the row of the campaign, with the report of the execution that sends. */
interface Row {
	id?: number;
	execution: string;
	plan: string;
	until: string;
	report: {
		execution?: string;
		state?: 'sending' | 'stopped' | 'failed' | 'done';
		why?: string;
		counts?: Record<string, number>;
		left?: number;
	};
}

interface Upload {
	campaign: string;
	file?: { name: string; content: string | Buffer<ArrayBuffer> };
	language?: string;
}

/** The page, once n8n has it. */
async function waitFor(address: string): Promise<string> {
	const state = new URL(address);
	state.pathname += '/n8n-execution-status';
	await eventually(async () => expect(await (await fetch(state)).text()).toBe('form-waiting'));
	return await (await fetch(address)).text();
}

/** The page of a campaign, used as its script does. */
export class CampaignPage {
	private constructor(
		private readonly n8n: string,
		/** Where the page is. */
		readonly address: string,
		readonly html: string,
	) {}

	/** Submits the form of a campaign; the page has the question, or says why there is none. */
	static async submit(
		{ n8n }: Here,
		{ webhookId }: Workflow,
		{ campaign, file, language = 'en' }: Upload,
	): Promise<CampaignPage> {
		const body = new FormData();
		const fields = { 'field-0': campaign, 'field-3': '', 'field-4': '', 'field-5': language };
		for (const [name, value] of Object.entries(fields)) body.append(name, value);
		if (file) body.append('field-1', new Blob([file.content]), file.name);
		const answer = await fetch(`${n8n.url}/form/${webhookId}`, { method: 'POST', body });
		const { formWaitingUrl: address } = (await answer.json()) as { formWaitingUrl: string };
		return new CampaignPage(n8n.url, address, await waitFor(address));
	}

	/** Answers the questions about the list, in their order, by a part of each option. */
	async answer(...parts: string[]): Promise<CampaignPage> {
		const body = new FormData();
		for (const [at, part] of parts.entries()) {
			const option = this.optionsOf(at).find((each) => each.includes(part));
			body.append(`field-${at}`, JSON.stringify([option]));
		}
		expect((await fetch(this.address, { method: 'POST', body })).status).toBe(200);
		return new CampaignPage(this.n8n, this.address, await waitFor(this.address));
	}

	/** The options of a question about the list. */
	optionsOf(question: number): string[] {
		const all = this.html.matchAll(
			new RegExp(`id='option\\d+_field-${question}' value='([^']*)'`, 'g'),
		);
		const unescaped = (text: string) =>
			text.replace(/&#x([0-9A-F]+);/gi, (_, code: string) =>
				String.fromCodePoint(parseInt(code, 16)),
			);
		return [...all].map(([, option]) =>
			unescaped(option!).replace(
				/&(lt|gt|amp|quot);/g,
				(_, name) => ({ lt: '<', gt: '>', amp: '&', quot: '"' })[name as 'lt'],
			),
		);
	}

	private named(pattern: RegExp): string {
		return pattern.exec(this.html)?.[1] ?? '';
	}

	get token(): string {
		return this.named(/const token = '(\w*)'/);
	}

	/** The facts of the question, or the error. */
	get given(): { sends: number; resends: number; why?: string } {
		return JSON.parse(this.named(/const given = (.*);\n/)) as CampaignPage['given'];
	}

	/** The addresses of a look and of a click. */
	get addresses(): string[] {
		const paths = [this.named(/look: '([^']*)'/), this.named(/click: '([^']*)'/)];
		return paths.map((path) => `${this.n8n}/webhook/${path}`);
	}

	private async post(address: string, values: Record<string, string>) {
		return await fetch(address, { method: 'POST', body: new URLSearchParams(values) });
	}

	async look(token = this.token): Promise<Row> {
		const row = (await (await this.post(this.addresses[0]!, { token })).json()) as Row & {
			progress?: string;
		};
		return { ...row, report: JSON.parse(row.progress || '{}') as Row['report'] };
	}

	async click(values: Record<string, string>): Promise<void> {
		await this.post(this.addresses[1]!, { token: this.token, action: 'go', also: '', ...values });
	}

	async stop(): Promise<void> {
		await this.click({ action: 'stop', execution: (await this.look()).execution });
	}

	/** Clicks on Send, or on Continue, unless that was done already. Returns the report at the end. */
	async send(values: Record<string, string> = {}): Promise<Row['report']> {
		const { execution } = await this.look();
		await this.click(values);
		return await this.ended(execution);
	}

	/** @param before an execution that does not count */
	async ended(before = ''): Promise<Row['report']> {
		for (let looks = 0; looks < 600; looks++) {
			const { execution, report } = await this.look();
			const isOver = report.execution === execution && report.state !== 'sending';
			if (execution !== before && isOver) return report;
			await wait(500); // each look is an execution
		}
		throw new Error('The campaign does not end');
	}
}
