import type { IDataObject } from 'n8n-workflow';

import { Recipe } from './recipe';

export interface Row {
	id: number;
	toId: string;
	status: string | null;
	tries: number | null;
}
/** Their toIds alone, if nothing has become of them. */
export type Rows = Array<string | Partial<Row>>;
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
	/** Columns of a table that are of another type, or the headings of a sheet. */
	columns: Record<string, string | undefined> = {};
	headings = ['\u200bRecipient_ID ', 'STA TUS', 'Tries'];
	unwantedHeadings = ['toId'];
	readonly asked: string[] = [];
	/** What the node got last. */
	checked: IDataObject[] = [];
	/** What was asked, if anything. */
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
		const { recipe } = this;
		recipe.put('Campaign', [{ ...recipe.set('Campaign', {}), ...this.values }]);
		Object.assign(recipe.parametersOf('Send Feed Video'), { options: this.options });
		const mode = this.answer && !this.isRetry ? 'test' : 'trigger';
		if (this.answer) recipe.put('When clicking ‘Execute workflow’', [{}]);
		this.read();
		return this.goOn(recipe.code('Who Is Due', [], { $execution: { mode } }));
	}

	private goOn(due: IDataObject[]): Result {
		const { recipe } = this;
		let [input, from] = [due, 'Who Is Due'];
		for (;;) {
			const items = recipe.code<IDataObject>('What Next', input, { $prevNode: { name: from } });
			const [{ next } = {}] = items;
			if (next === 'end') return recipe.code<Result>('Result', items)[0]!;
			if (next === 'ask' || next === 'rehearse') {
				const { question, details } = due[0]!.list as Record<string, string>;
				this.question = `${question} ${details}`;
				input = recipe.put('Send It?', [{ Answer: this.answer!() }]);
			} else if (next === 'send') input = this.sendTo(items);
			else {
				if (next === undefined) this.write(items);
				this.read(' Again');
			}
			const looked = this.isTable ? 'Look Again' : 'Get Do-Not-Contact Again';
			from = next === 'look' || next === undefined ? looked : 'Send It?';
		}
	}

	private get isTable(): boolean {
		return this.kind === 'campaign-from-a-table';
	}

	/** As n8n's nodes read both lists, for the first time or again. */
	private read(again = ''): void {
		const { recipe, list, unwanted } = this;
		if (!this.isTable) {
			const rows = list.map(({ toId, status, tries }) => [toId, status, tries]);
			recipe.put(`Get Rows${again}`, inSheet(this.headings, rows));
			const entries = unwanted.map((toId) => [toId]);
			recipe.put(`Get Do-Not-Contact${again}`, inSheet(this.unwantedHeadings, entries));
			return;
		}
		const entries = unwanted.map((toId, at) => ({ id: at + 1, toId, updatedAt: '2026-01-01' }));
		const inTable = (rows: unknown[]) => (rows.length > 0 ? rows : [{}]) as IDataObject[];
		if (again) return void recipe.put('Look Again', inTable(entries));
		const { column } = recipe.parametersOf('Create Table If Missing').columns as Columns;
		const typeOf = (name: string, type: string) => ({ [name]: type, ...this.columns })[name];
		const columns = column.map(({ name, type }) => ({ name, type: typeOf(name, type) }));
		const named = ['spring-offer-2', 'spring-offer', 'do-not-contact-2', 'do-not-contact'];
		// Those that only contain the name are none that can be used.
		const tables = named.map((name, at) => ({ id: name, name, columns: at % 2 ? columns : [] }));
		recipe.put('Tables', tables as IDataObject[]);
		recipe.put('Create Table If Missing', [{ error: { message: 'it exists' } }]);
		recipe.put('Create Do-Not-Contact If Missing', [{}]);
		recipe.put('Get Rows', inTable(list));
		recipe.put('Get Do-Not-Contact', inTable(entries));
	}

	private sendTo(items: IDataObject[]): IDataObject[] {
		this.checked = items;
		const toIds = items.map((item) => this.recipientOf(item).replace(/[^\w@:.-]/g, ''));
		this.asked.push(...toIds);
		const sent = this.recipe.put('Send Feed Video', this.send(toIds));
		const notes = this.recipe.code('What Became of It', sent);
		if (this.isTable) this.note(notes);
		return notes;
	}

	/** Whom the node would send an item to, by its parameters as they are now. */
	recipientOf($json: IDataObject): string {
		const $parameter = this.recipe.parametersOf('Send Feed Video');
		return String(this.recipe.resolve($parameter.toId, { $json, $parameter }));
	}

	/** As n8n's Data Table node finds rows. */
	private note(notes: IDataObject[]): void {
		const { filters, columns } = this.recipe.parametersOf('Note It') as {
			filters: { conditions: Array<Record<'keyName' | 'condition' | 'keyValue', string>> };
			columns: { value: Record<string, string> };
		};
		for (const $json of notes) {
			const valueOf = (value: string) => this.recipe.resolve(value, { $json });
			const found = this.list.filter((row) =>
				filters.conditions.every(({ keyName, condition, keyValue }) => {
					const there = row[keyName as keyof Row];
					return valueOf(condition) === 'isEmpty' ? !there : there === valueOf(keyValue);
				}),
			);
			const values = Object.entries(columns.value).map(([name, value]) => [name, valueOf(value)]);
			for (const row of found) Object.assign(row, Object.fromEntries(values));
		}
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
