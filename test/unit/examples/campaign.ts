import type { IDataObject } from 'n8n-workflow';

import { Recipe } from './recipe';

export interface Row {
	id: number;
	toId: string;
	status: string | null;
	reason?: string | null;
	tries: number | null;
}
/** Their toIds alone, if nothing has become of them. */
export type Rows = Array<string | Partial<Row>>;
const FIELDS = ['channelName', 'channelUrl', 'coverUrl', 'encodeData', 'headImgUrl', 'feedId'];
/** One that the account itself sent. */
export const VIDEO = {
	...{ id: 1, name: 'Spring', from: 'own', caughtAt: '2026-01-01T00:00:00.000Z' },
	...Object.fromEntries([...FIELDS, 'feedNo', 'username'].map((name) => [name, name])),
};

export interface Result extends IDataObject {
	summary: string;
	leftAlone?: Record<string, number>;
	oddEntries?: unknown[];
}
interface Columns {
	column: Array<Record<'name' | 'type', string>>;
}
export const KINDS = ['campaign-from-a-table', 'campaign-from-google-sheets'] as const;
export type Kind = (typeof KINDS)[number];

/** A campaign by one of the recipes: a list, those left out, and what a person does with them. */
export class Campaign {
	readonly recipe: Recipe;
	readonly list: Row[];
	unwanted: unknown[] = [];
	/** What the node puts out for each of these. */
	send = (toIds: string[]): IDataObject[] => toIds.map((id) => ({ request_id: `svc_${id}` }));
	values: IDataObject = { secondsBetween: 0 };
	options: IDataObject = {};
	/** What a person answers; without one, a schedule runs it. */
	answer?: () => string | undefined;
	isRetry = false;
	videos: IDataObject[] = [VIDEO];
	/** What the node would refuse. */
	refuses = (toId: string): boolean => !toId;
	/** What others write before this execution notes. */
	meanwhile = (list: Row[]): void => void list;
	/** Columns of a table that are of another type, or the headings of a sheet. */
	columns: Record<string, string | undefined> = {};
	headings = ['\u200bRecipient_ID ', 'STA TUS', 'Tries'];
	unwantedHeadings = ['toId'];
	readonly asked: string[] = [];
	/** What the node got last. */
	checked: IDataObject[] = [];
	/** What was asked, if anything, a line for each fact. */
	question = '';

	constructor(
		private readonly kind: Kind,
		rows: Rows,
		changes: Partial<Campaign> = {},
	) {
		this.recipe = new Recipe(kind);
		this.list = rows.map((row, at) => {
			const given = typeof row === 'string' ? { toId: row } : row;
			return { id: at + 1, toId: `c-${at + 1}`, status: null, tries: null, ...given };
		});
		Object.assign(this, changes);
	}

	run(): Result {
		const { recipe, isTable } = this;
		recipe.put('Campaign', [{ ...recipe.set('Campaign', {}), video: 'SPRING ', ...this.values }]);
		Object.assign(recipe.parametersOf('Send Feed Video'), { options: this.options });
		const mode = this.answer && !this.isRetry ? 'test' : 'trigger';
		if (this.answer) recipe.put('When clicking ‘Execute workflow’', [{}]);
		this.read();
		if (this.goesOn(recipe.code('Who Is Due', [], { $execution: { mode, id: '1' } }))) {
			const all = recipe.code('Recipients', []);
			for (let at = 0; at < all.length; at += 100) this.sendTo(all.slice(at, at + 100));
		}
		const [result, ...rest] = recipe.code<Result>('Result', []);
		if (isTable) this.note(rest, 'Note the Rest');
		return result!;
	}

	private goesOn(due: IDataObject[]): boolean {
		const { recipe } = this;
		const check = ({ toId }: IDataObject) =>
			this.refuses(String(toId)) ? { error: { message: 'it is wrong' } } : { dryRun: true };
		const [asked] = recipe.code<IDataObject>('What to Ask', due.map(check));
		const { step, question, details } = asked as Record<string, string>;
		if (step === 'send' || step === 'nobody') return step === 'send';
		this.question = [question, details].join('\n');
		const answer = { Answer: this.answer!() };
		recipe.put('Send It?', [answer]);
		const { conditions } = recipe.parametersOf('Yes?').conditions as {
			conditions: Array<{ leftValue: string }>;
		};
		return recipe.resolve(conditions[0]!.leftValue, { $json: answer }) as boolean;
	}

	private get isTable(): boolean {
		return this.kind === 'campaign-from-a-table';
	}

	/** As n8n's nodes read both lists, for the first time or again. */
	private read(again = ''): IDataObject[] {
		const { recipe, list, unwanted } = this;
		const inTable = (rows: unknown[]) => (rows.length > 0 ? rows : [{}]) as IDataObject[];
		const columnsOf = (node: string) => (recipe.parametersOf(node).columns as Columns).column;
		const makeVideos = 'Create Feed-Videos If Missing';
		const tables = [{ id: 'v', name: 'feed-videos', columns: columnsOf(makeVideos) }];
		if (!again) recipe.put(makeVideos, [{}]);
		recipe.put('Get Feed Videos', inTable(this.videos));
		if (!this.isTable) {
			recipe.put('Tables', tables as unknown as IDataObject[]);
			const entries = unwanted.map((toId) => [toId]);
			recipe.put(`Get Do-Not-Contact${again}`, inSheet(this.unwantedHeadings, entries));
			const rows = list.map(({ toId, status, tries }) => [toId, status, tries]);
			return recipe.put(`Get Rows${again}`, inSheet(this.headings, rows));
		}
		const entries = unwanted.map((toId, at) => ({ id: at + 1, toId, updatedAt: '2026-01-01' }));
		if (again) return recipe.put('Look Again', inTable(entries));
		const typeOf = (name: string, type: string) => ({ [name]: type, ...this.columns })[name];
		const columns = columnsOf('Create Table If Missing').map(({ name, type }) => {
			return { name, type: typeOf(name, type)! };
		});
		const named = ['spring-offer-2', 'spring-offer', 'do-not-contact-2', 'do-not-contact'];
		// Those that only contain the name are none that can be used.
		tables.push(...named.map((name, at) => ({ id: name, name, columns: at % 2 ? columns : [] })));
		recipe.put('Tables', tables as unknown as IDataObject[]);
		recipe.put('Create Table If Missing', [{ error: { message: 'it exists' } }]);
		recipe.put('Create Do-Not-Contact If Missing', [{}]);
		recipe.put('Get Rows', inTable(list));
		return recipe.put('Get Do-Not-Contact', inTable(entries));
	}

	/** One round of the loop. */
	private sendTo(portion: IDataObject[]): void {
		const { recipe } = this;
		recipe.put('Loop Over Items', portion);
		this.read(' Again');
		this.checked = recipe.code('Still Due', []);
		const toIds = this.checked.map((item) => this.recipientOf(item).replace(/[^\w@:.-]/g, ''));
		const left = { error: { outcome: 'notSent', message: 'it is empty', tried: false } };
		const asked = toIds.filter((toId) => toId);
		this.asked.push(...asked);
		const sent = this.send(asked);
		const notes = recipe.code(
			'What Became of It',
			toIds.map((toId) => (toId ? sent.shift()! : left)),
		);
		this.meanwhile(this.list);
		if (this.isTable) return void recipe.put('Note It', this.note(notes, 'Note It'));
		for (;;) {
			const cells = recipe.code<IDataObject>('Cells to Write', this.read(' Again'));
			if (cells[0]?.row_number === undefined) return;
			this.write(cells);
		}
	}

	/** Whom the node would send an item to, by its parameters as they are now. */
	recipientOf($json: IDataObject, executionId = '1'): string {
		const $parameter = this.recipe.parametersOf('Send Feed Video');
		const $execution = { mode: 'test', id: executionId };
		return String(this.recipe.resolve($parameter.toId, { $json, $parameter, $execution }));
	}

	/** The video that the node would send now. */
	get videoSent(): unknown {
		return this.recipe.resolve(this.recipe.parametersOf('Send Feed Video').feedVideo);
	}

	/** As n8n's Data Table node finds rows; those that it wrote. */
	private note(notes: IDataObject[], node: string): IDataObject[] {
		const { filters, columns } = this.recipe.parametersOf(node) as {
			filters: { conditions: Array<Record<'keyName' | 'condition' | 'keyValue', string>> };
			columns: { value: Record<string, string> };
		};
		return notes.flatMap(($json) => {
			const valueOf = (value: string) => this.recipe.resolve(value, { $json });
			const found = this.list.filter((row) =>
				filters.conditions.every(({ keyName, condition, keyValue }) => {
					const there = row[keyName as keyof Row];
					return valueOf(condition) === 'isEmpty' ? !there : there === valueOf(keyValue);
				}),
			);
			const values = Object.entries(columns.value).map(([name, value]) => [name, valueOf(value)]);
			for (const row of found) Object.assign(row, Object.fromEntries(values));
			return structuredClone(found) as unknown as IDataObject[];
		});
	}

	/** As n8n's node for Google Sheets finds rows (2.41, prepareDataForUpdateOrUpsert). */
	private write(items: IDataObject[]): void {
		for (const { row_number, ...item } of items) {
			const from = Number(row_number);
			const [toId, status, tries] = this.headings.map((heading) => item[heading]);
			const found = this.list.find((row, at) => at + 2 >= from && row.toId === toId);
			if (found) Object.assign(found, { status, tries });
		}
	}
}

/** As n8n reads a sheet from its first row on. */
function inSheet(headings: string[], rows: unknown[][]): IDataObject[] {
	const names = ['row_number', ...headings];
	const all = [names, ...rows.map((row, at) => [at + 2, ...row])];
	const named = (row: unknown[]) => Object.fromEntries(row.map((value, at) => [names[at], value]));
	return all.map((row) => named(row) as IDataObject);
}
