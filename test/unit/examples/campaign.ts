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
/** The rows of a file: their cells, or the texts in them with | between these. */
export type Cells = Array<string | unknown[]>;
const FIELDS = ['channelName', 'channelUrl', 'coverUrl', 'encodeData', 'headImgUrl', 'feedId'];
/** One that the account itself sent. */
export const VIDEO = {
	...{ id: 1, name: 'Spring', from: 'own', caughtAt: '2026-01-01T00:00:00.000Z' },
	...Object.fromEntries([...FIELDS, 'feedNo', 'username'].map((name) => [name, name])),
};

export interface Result extends IDataObject {
	summary: string;
	message: string;
	oddEntries: unknown[];
}
type Columns = Record<string, string | undefined>;
const CAMPAIGN: Columns = {
	...{ toId: 'string', status: 'string', reason: 'string', request_id: 'string' },
	...{ tries: 'number', time: 'date' },
};
/** As n8n's nodes give them: an empty one, where there is none. */
const itemsOf = (rows: object[]) => (rows.length > 0 ? rows : [{}]) as IDataObject[];
export const YES = 'Yes, send it 发送';

/** A campaign: a table, a file, those left out, and what a person does with them. */
export class Campaign {
	readonly recipe = new Recipe('campaign');
	/** Without rows, the table is not there yet. */
	readonly list: Row[];
	isNew = false;
	file?: Cells | undefined;
	fileName = 'list.xlsx';
	unwanted: unknown[] = [];
	/** What the node puts out for each of these. */
	send = (toIds: string[]): IDataObject[] => toIds.map((id) => ({ request_id: `svc_${id}` }));
	values: IDataObject = {};
	options: IDataObject = {};
	/** What a person answers, if asked; without one, a schedule runs it. */
	answer?: ((options: string[]) => string | undefined) | undefined;
	/** When that was, in milliseconds from now. */
	answeredIn = 1000;
	videos: IDataObject[] = [VIDEO];
	/** What the node would refuse. */
	refuses = (toId: string): boolean => !toId;
	/** What others write before this execution notes. */
	meanwhile = (list: Row[]): void => void list;
	/** Columns of the campaign's table that are of another type, or not there. */
	columns: Columns = {};
	/** Whether n8n's tables are full when this many notes were written. */
	fullAfter = Infinity;
	readonly asked: string[] = [];
	/** The portions as they were asked for. */
	readonly portions: number[] = [];
	/** What the node got last. */
	checked: IDataObject[] = [];
	/** What was asked, if anything, a line for each fact. */
	question = '';

	constructor(rows: Rows, changes: Partial<Campaign> = {}) {
		this.list = rows.map((row, at) => {
			const given = typeof row === 'string' ? { toId: row } : row;
			return { id: at + 1, toId: `c-${at + 1}`, status: null, tries: null, ...given };
		});
		Object.assign(this, changes);
	}

	run(): Result {
		const { recipe } = this;
		const form = { campaign: ' spring-offer ', video: 'SPRING ', testRecipient: '' };
		if (this.answer) recipe.put('Campaign Form', [form]);
		const $json = this.answer ? form : { video: 'spring' };
		const file = this.file && { filename: this.fileName };
		const settings = { ...recipe.set('Settings', { $json }), secondsBetween: 2, ...this.values };
		recipe.put('Settings', [{ ...settings, file }]);
		Object.assign(recipe.parametersOf('Send Feed Video'), { options: this.options });
		this.read();
		const due = recipe.code('Who Is Due', []);
		const checks = due.map(({ toId }) =>
			this.refuses(String(toId)) ? { error: { message: 'it is wrong' } } : { dryRun: true },
		);
		recipe.put('Check the List', checks);
		const [asked] = recipe.code('What to Ask', checks);
		if (this.goesOn(asked!)) this.sendAll();
		return recipe.code<Result>('Result', [asked!])[0]!;
	}

	/** Whether something is to be sent, or noted; asks where somebody is to be asked. */
	private goesOn($json: IDataObject): boolean {
		const { recipe } = this;
		const { values } = recipe.parametersOf('Which Way').rules as { values: IDataObject[] };
		const way = values.find((each) => recipe.condition(each, $json))?.outputKey;
		if (way !== 'Ask' && way !== 'To yourself first') return way === 'Send';
		const { question, details, options } = $json as Record<string, string>;
		this.question = [question, details].join('\n');
		const answer = this.answer!(options as unknown as string[]);
		const submittedAt = new Date(Date.now() + this.answeredIn).toISOString();
		const said = answer === undefined ? $json : { answer, submittedAt };
		recipe.put('Send It?', [said]);
		return this.goesOn(said);
	}

	private sendAll(): void {
		const { recipe } = this;
		recipe.put('Create Table If Missing', [{ id: 'table' }]);
		const isFull = this.fullAfter <= 0;
		const added = recipe.code('New People', []).map((row, at) => {
			const id = this.list.length + at + 1;
			return isFull ? { ...row, error: 'full' } : { id, tries: null, ...row };
		});
		if (!isFull) this.list.push(...(added as unknown as Row[]));
		recipe.put('Add to Table', added);
		recipe.put('Note It', [isFull ? { id: 'table' } : {}]);
		while (recipe.condition(recipe.parametersOf('More?'))) this.sendPortion();
	}

	private get tables(): IDataObject[] {
		const table = (name: string, types: Columns) => {
			const columns = Object.entries(types).flatMap(([name, type]) => (type ? { name, type } : []));
			return { id: name, name, columns };
		};
		const texts = Object.fromEntries(Object.keys(VIDEO).map((name) => [name, 'string']));
		return [
			table('feed-videos', { ...texts, caughtAt: 'date' }),
			// Those that only contain the name are none that can be used.
			...[table('spring-offer-2', CAMPAIGN), table('do-not-contact-2', {})],
			...(this.isNew ? [] : [table('spring-offer', { ...CAMPAIGN, ...this.columns })]),
			table('do-not-contact', { toId: 'string' }),
		];
	}

	private entries(): IDataObject[] {
		const row = (toId: unknown, at: number) => ({ id: at + 1, toId, updatedAt: '2026-01-01' });
		return itemsOf(this.unwanted.map(row));
	}

	/** As n8n's nodes read everything. */
	private read(): void {
		const { recipe } = this;
		const file = this.file?.map((row) => ({ row: typeof row === 'string' ? row.split('|') : row }));
		recipe.put('Read the Sheet', itemsOf(file ?? []));
		recipe.put('Create Do-Not-Contact If Missing', [{}]);
		recipe.put('Tables', this.tables);
		recipe.put('Get Feed Videos', itemsOf(this.videos));
		recipe.put('Get Rows', itemsOf(this.list));
		recipe.put('Get Do-Not-Contact', this.entries());
	}

	/** One round of the loop. */
	private sendPortion(): void {
		const { recipe } = this;
		recipe.put('Look Again', this.entries());
		this.checked = recipe.code('Still Due', []);
		const toIds = this.checked.map((item) => this.recipientOf(item));
		const left = { error: { outcome: 'notSent', message: 'it is empty', tried: false } };
		const asked = toIds.filter((toId) => toId);
		this.asked.push(...asked);
		this.portions.push(this.checked.length);
		const sent = this.send(asked);
		const ends = toIds.map((toId) => (toId ? sent.shift()! : left));
		const notes = recipe.code('What Became of It', ends);
		this.meanwhile(this.list);
		recipe.put('Note It', this.note(notes));
	}

	/** Whom the node would send an item to, by its parameters as they are now. */
	recipientOf($json: IDataObject, executionId = '1'): string {
		const $execution = { id: executionId };
		const { toId } = this.recipe.parametersOf('Send Feed Video');
		return String(this.recipe.resolve(toId, { $json, $execution }) ?? '');
	}

	/** As n8n's Data Table node finds rows; those that it wrote, or what it cannot write as it came. */
	private note(notes: IDataObject[]): IDataObject[] {
		const { filters, columns } = this.recipe.parametersOf('Note It') as {
			filters: { conditions: Array<Record<'keyName' | 'condition' | 'keyValue', string>> };
			columns: { value: Record<string, string> };
		};
		return notes.flatMap(($json) => {
			// Of its own errors, n8n says nothing (2.41, DataTable/actions/router).
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
