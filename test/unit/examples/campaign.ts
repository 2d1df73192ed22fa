import type { IDataObject } from 'n8n-workflow';

import { Clock, Recipe } from './recipe';

export interface Row {
	id: number;
	toId: string;
	status: string | null;
	reason?: string | null;
	tries: number | null;
	name?: string;
}
/** A text stands for a row that has nothing but this toId. */
export type Rows = Array<string | Partial<Row>>;
/** The rows of a sheet: their cells, or the texts in them with | between these. */
export type Cells = Array<string | unknown[]>;
const FIELDS = ['channelName', 'channelUrl', 'coverUrl', 'encodeData', 'headImgUrl', 'feedId'];
/** A video that the account itself sent. */
export const VIDEO = {
	...{ id: 1, name: 'Spring', from: 'own', caughtAt: '2026-01-01T00:00:00.000Z' },
	...Object.fromEntries([...FIELDS, 'feedNo', 'username'].map((name) => [name, name])),
};

/** What the page shows before the click. */
export interface Page extends IDataObject {
	sends: number;
	unknown: number;
	wrong: Array<[toId: string, reason: string, name?: string]>;
	excludedIds: string[];
	oddEntries: string[];
	words: Record<string, number>;
	file?: {
		name: string;
		of: string;
		rows: number;
		all: Array<[toId: string, status: string, name: string]>;
		ignored: string[];
		unlike: string[];
		skipped: Array<[kind: string, count: number, texts: string[]]>;
	};
}
/** What an execution that sends reports last. */
export interface Result extends IDataObject {
	state: 'done' | 'stopped' | 'failed';
	why: string;
	counts: Record<string, number>;
	failures: Array<[toId: string, outcome: string, reason: string]>;
	rest: number;
	/** How many people the next run would send to. */
	left: number;
	rings: boolean;
	alarm: string;
}
/** A field of the page that asks how to read the list. */
export interface Question {
	fieldName: 'column' | 'heading';
	fieldLabel: string;
	fieldOptions: { values: Array<{ option: string }> };
}
/** The body of the page's request. */
export interface Click {
	also?: 'unknown';
}

type Columns = Record<string, string | undefined>;
const CAMPAIGN: Columns = {
	...{ toId: 'string', status: 'string', reason: 'string', request_id: 'string' },
	...{ tries: 'number', time: 'date' },
};
/** n8n's nodes return an empty item where there is none. */
const itemsOf = (rows: object[]) => (rows.length > 0 ? rows : [{}]) as IDataObject[];

const cellsOf = (row: Cells[number] = []) => (typeof row === 'string' ? row.split('|') : row);
/**
 * The items of a sheet, without its blank rows and cells. SheetJS names a column that has no heading.
 * @param head the row of the headings; a file is read without one
 */
function readSheet(sheet: Cells, head: unknown[] = []): IDataObject[] {
	const rows = sheet.map(cellsOf);
	const isFilled = (cell: unknown) => cell !== '' && cell !== undefined && cell !== null;
	const width = Math.max(0, ...rows.map(({ length }) => length));
	const keys: string[] = [];
	for (let at = 0; at < width; at++) {
		const name = isFilled(head[at]) ? String(head[at]) : '__EMPTY';
		let key = name;
		for (let nth = 1; keys.includes(key); nth++) key = `${name}_${nth}`;
		keys.push(key);
	}
	const items = rows
		.map((row) => keys.flatMap((key, at) => (isFilled(row[at]) ? [[key, row[at]]] : [])))
		.filter((cells) => cells.length > 0)
		.map((cells) => Object.fromEntries(cells) as IDataObject);
	return itemsOf(items);
}

/** A campaign: its table, a list, do-not-contact, and what a person does with them. */
export class Campaign {
	/** The execution that runs, or ran last. */
	recipe = new Recipe('campaign');
	private executions = 0;
	readonly list: Row[];
	/** Whether the campaign has no table yet. */
	isNew = false;
	file?: Cells | undefined;
	fileName = 'list.xlsx';
	/** A Google Sheet in place of the file. */
	sheet?: Cells | undefined;
	unwanted: unknown[] = [];
	/** What the node returns for each of these. */
	send = (toIds: string[]): IDataObject[] => toIds.map((id) => ({ request_id: `svc_${id}` }));
	values: IDataObject = {};
	options: IDataObject = {};
	/** A person's click on the page; without one, a schedule runs the campaign. */
	click?: (() => Click) | undefined;
	/** A person's answers to the questions about the list. */
	answer?: ((questions: Question[]) => IDataObject) | undefined;
	videos: IDataObject[] = [VIDEO];
	/** Whether the node would refuse this ID. */
	refuses = (toId: string): boolean => !toId;
	/** What others write before this execution saves its results. */
	meanwhile = (list: Row[]): void => void list;
	/** Columns of the campaign's table that are missing or of another type. */
	columns: Columns = {};
	/** n8n's tables are full after this many results. */
	fullAfter = Infinity;
	/** Somebody clicks Stop while this batch is sent, counted from 1. */
	stopIn = Infinity;
	/** Everybody to whom a message was sent, in this order. */
	readonly asked: string[] = [];
	/** The sizes of the batches. */
	readonly batches: number[] = [];
	readonly clock = new Clock();
	/** How long each message takes, in milliseconds. */
	duration = 0;
	/** The last batch. */
	checked: IDataObject[] = [];
	/** The row that the page reads. */
	page: IDataObject = {};
	/** The questions about the list, if there were any. */
	questions: Question[] = [];

	constructor(rows: Rows, changes: Partial<Campaign> = {}) {
		this.list = rows.map((row, at) => {
			const given = typeof row === 'string' ? { toId: row } : row;
			return { id: at + 1, toId: `c-${at + 1}`, status: null, tries: null, ...given };
		});
		Object.assign(this, changes);
	}

	/** Runs the campaign as a person does by the page, or as the schedule does. */
	async run(): Promise<Result> {
		if (!this.click) {
			this.start({ video: 'spring' });
			return await this.execute();
		}
		const page = await this.open();
		return 'sends' in page ? await this.sendAfter(this.click()) : (page as Result);
	}

	/** Uploads the list. Returns what the page then shows, or why it shows no question. */
	async open(): Promise<Page | Result> {
		const form = {
			campaign: ' spring-offer ',
			video: 'SPRING ',
			testRecipient: '',
			language: 'en',
		};
		this.start(form, this.file && { filename: this.fileName });
		this.recipe.put('Campaign Form', [form]);
		if (!this.sheet) this.recipe.put('Read the Sheet', readSheet(this.file ?? []));
		let $json = this.choose();
		if (this.wayOf($json) === 'Which column') {
			this.questions = JSON.parse(String($json.fields)) as Question[];
			this.recipe.put('Which Column', [this.answer?.(this.questions) ?? {}]);
			$json = this.choose();
		}
		if (this.wayOf($json) !== 'Ask') return await this.report($json);
		const { value } = this.recipe.parametersOf('Save Page').columns as { value: IDataObject };
		this.page = {};
		for (const name of ['campaign', 'video', 'plan'])
			this.page[name] = this.recipe.resolve(value[name]) as string;
		return JSON.parse(String($json.page)) as Page;
	}

	/** Clicks on Send, or on Continue, on the page. */
	async sendAfter(click: Click): Promise<Result> {
		Object.assign(this.page, { execution: String(this.executions + 1), stop: '' });
		this.start(this.page);
		this.recipe.put('Page Sends Click', [{ body: { action: 'go', ...click } }]);
		this.recipe.put('Apply Click', [this.page]);
		return await this.execute();
	}

	private start($json: IDataObject, file?: IDataObject): void {
		this.recipe = new Recipe('campaign', String(++this.executions), this.clock);
		const { recipe } = this;
		const settings = { ...recipe.set('Settings', { $json }), secondsBetween: 2 };
		recipe.put('Settings', [{ ...settings, ...this.values, file }]);
		Object.assign(recipe.parametersOf('Send Feed Video'), { options: this.options });
		if (!this.sheet) return;
		const rows = readSheet(this.sheet, cellsOf(this.sheet[0]));
		recipe.put(
			'Read the Sheet',
			rows.map((row, at) => ({ row_number: at + 1, ...row })),
		);
	}

	private async execute(): Promise<Result> {
		const $json = this.choose();
		return this.wayOf($json) === 'Send' ? await this.sendAll() : await this.report($json);
	}

	/** From the tables to Prepare Question, whose item it returns, or the error of Select Recipients. */
	private choose(): IDataObject {
		const { recipe } = this;
		recipe.put('Create Do-Not-Contact If Missing', [{}]);
		recipe.put('Tables', this.tables);
		recipe.put('Get Feed Videos', itemsOf(this.videos));
		recipe.put('Get Rows', this.isNew ? [{}] : itemsOf(this.list));
		recipe.put('Get Do-Not-Contact', this.entries());
		let due: IDataObject[];
		try {
			due = recipe.code('Select Recipients', []);
		} catch (error) {
			recipe.put('Select Recipients', []);
			return { error: `${(error as Error).message} [line 7]` };
		}
		const checks = due.map(({ toId }) =>
			this.refuses(String(toId)) ? { error: { message: 'it is wrong' } } : { dryRun: true },
		);
		recipe.put('Check the List', checks);
		return recipe.code('Prepare Question', checks)[0]!;
	}

	/** The output of Next Action that an item leaves by. */
	private wayOf($json: IDataObject): unknown {
		return this.outputOf('Next Action', $json);
	}

	private outputOf(node: string, $json: IDataObject): unknown {
		const { values } = this.recipe.parametersOf(node).rules as { values: IDataObject[] };
		return values.find((each) => this.recipe.condition(each, $json))?.outputKey;
	}

	private async sendAll(): Promise<Result> {
		const { recipe } = this;
		const columns = [...Object.keys(CAMPAIGN), ...(this.isNew ? ['name'] : [])];
		this.isNew = false;
		recipe.put('Create Table If Missing', [
			{ id: 'table', columns: columns.map((name) => ({ name })) },
		]);
		const isFull = this.fullAfter <= 0;
		const added = recipe.code('New Recipients', []).map((row, at) => {
			const id = this.list.length + at + 1;
			return isFull ? { ...row, error: 'full' } : { id, tries: null, ...row };
		});
		if (!isFull) this.list.push(...(added as unknown as Row[]));
		recipe.put('Add to Table', added);
		recipe.put('Save Result', [isFull ? { id: 'table' } : {}]);
		for (let result = await this.report({}); ; ) {
			const way = this.outputOf('Next Step', this.page);
			if (way === 'More') {
				const input = this.sendBatch();
				if (this.batches.length === this.stopIn) this.page.stop = 'stop';
				result = await this.report(input);
			} else if (way === 'Waits, or stopped') result = await this.report(this.page);
			else return result;
		}
	}

	/** Progress and Update Page. */
	private async report(input: IDataObject): Promise<Result> {
		const { recipe } = this;
		const [json] = await recipe.waitingCode('Progress', [input]);
		const { progress, plan, ...rest } = json!;
		Object.assign(this.page, { progress, plan });
		return { ...rest, ...(JSON.parse(String(progress)) as IDataObject) } as Result;
	}

	private get tables(): IDataObject[] {
		const table = (name: string, types: Columns) => {
			const columns = Object.entries(types).flatMap(([name, type]) => (type ? { name, type } : []));
			return { id: name, name, columns };
		};
		const texts = Object.fromEntries(Object.keys(VIDEO).map((name) => [name, 'string']));
		return [
			table('feed-videos', { ...texts, caughtAt: 'date' }),
			// A table that only has the name in its own is another one.
			...[table('spring-offer-2', CAMPAIGN), table('do-not-contact-2', {})],
			...(this.isNew ? [] : [table('spring-offer', { ...CAMPAIGN, ...this.columns })]),
			table('do-not-contact', { toId: 'string' }),
		];
	}

	private entries(): IDataObject[] {
		const row = (toId: unknown, at: number) => ({ id: at + 1, toId, updatedAt: '2026-01-01' });
		return itemsOf(this.unwanted.map(row));
	}

	/** From Get Do-Not-Contact Again to Save Result. Returns the error of Next Batch, if there is one. */
	private sendBatch(): IDataObject {
		const { recipe } = this;
		recipe.put('Get Do-Not-Contact Again', this.entries());
		try {
			this.checked = recipe.code('Next Batch', []);
		} catch (error) {
			return { error: (error as Error).message };
		}
		const toIds = this.checked.map((item) => this.recipientOf(item));
		const held = { error: { outcome: 'notSent', message: 'it is empty', tried: false } };
		const asked = toIds.filter((toId) => toId);
		this.asked.push(...asked);
		this.batches.push(this.checked.length);
		const sent = this.send(asked);
		this.clock.passed += this.duration * asked.length;
		const ends = toIds.map((toId) => (toId ? sent.shift()! : held));
		const results = recipe.code('Record Result', ends);
		this.meanwhile(this.list);
		recipe.put('Save Result', this.save(results));
		return {};
	}

	/** The recipient to whom the node would send an item, by its parameters as they are now. */
	recipientOf($json: IDataObject, id = this.recipe.execution): string {
		const { toId } = this.recipe.parametersOf('Send Feed Video');
		return String(this.recipe.resolve(toId, { $json, $execution: { id } }) ?? '');
	}

	/** As n8n's Data Table node updates rows. Returns these, or an item that it cannot write unchanged. */
	private save(results: IDataObject[]): IDataObject[] {
		const { filters, columns } = this.recipe.parametersOf('Save Result') as {
			filters: { conditions: Array<Record<'keyName' | 'condition' | 'keyValue', string>> };
			columns: { value: Record<string, string> };
		};
		return results.flatMap(($json) => {
			// n8n hides errors of its own here (2.41, DataTable/actions/router).
			if (--this.fullAfter < 0) return [this.fullAfter % 2 ? { error: 'size limit' } : $json];
			const valueOf = (value: string) => this.recipe.resolve(value, { $json });
			const found = this.list.filter((row) =>
				filters.conditions.every(({ keyName, condition, keyValue }) => {
					const there = row[valueOf(keyName) as keyof Row];
					const how = valueOf(condition);
					if (how === 'eq') return there === valueOf(keyValue);
					return how === 'isEmpty' ? !there : Boolean(there);
				}),
			);
			const values = Object.entries(columns.value).map(([name, value]) => [name, valueOf(value)]);
			for (const row of found) Object.assign(row, Object.fromEntries(values));
			return structuredClone(found) as unknown as IDataObject[];
		});
	}
}
