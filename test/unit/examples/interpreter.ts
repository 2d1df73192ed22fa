import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';

import type { IDataObject, INode } from 'n8n-workflow';

import type { WorkflowJson } from '../../../dev/engine/engine';
import { projectRoot } from '../../../dev/projectRoot';

export interface Item {
	json: IDataObject;
	from?: { node: string; item: Item };
}
type Values = Record<string, unknown>;
/** The value of one of its parameters, such as `options.sendOnceKey`, for the first item or another. */
export type ValueOf = <Value>(path: string, item?: Item) => Value;
/** What a node does to its items: a list for each of its outputs. */
type Does = (items: Item[], node: INode, valueOf: ValueOf) => Item[][];

/** Runs a recipe's own expressions and code; what its other nodes do is given by name. */
export class Interpreter {
	readonly runs: Record<string, Item[][][]> = {};
	error?: string;
	private readonly recipe: WorkflowJson;
	private readonly loops: Record<string, Item[]> = {};

	constructor(
		name: string,
		private readonly others: Record<string, Does>,
	) {
		const path = join(projectRoot, 'examples', `${name}.workflow.json`);
		this.recipe = JSON.parse(readFileSync(path, 'utf8')) as WorkflowJson;
	}

	node(name: string): INode {
		const found = this.recipe.nodes.find((node) => node.name === name);
		if (!found) throw new Error(`no node ${name}`);
		return found;
	}

	/** The json that a node put out in all of its runs. */
	out<Json = IDataObject>(name: string): Json[] {
		return (this.runs[name] ?? [])
			.flatMap(([items]) => items ?? [])
			.map(({ json }) => json as Json);
	}

	/** From a node on, as n8n does it in "v1": a branch to its end, the one that stands higher first. */
	run(start: string, given: IDataObject[] = [{}]): this {
		const stack = [{ name: start, items: given.map((json): Item => ({ json })) }];
		for (let next = stack.shift(); next && !this.error; next = stack.shift()) {
			const { name, items } = next;
			const node = this.node(name);
			let outputs = node.disabled ? [items] : this.execute(node, items);
			if (node.alwaysOutputData && outputs.every((each) => each.length === 0)) {
				outputs = [[{ json: {} }]];
			}
			(this.runs[name] ??= []).push(outputs);
			const after = (this.recipe.connections[name]?.main ?? []).flatMap((links, index) =>
				(links ?? []).map((link) => ({ name: link.node, items: outputs[index] ?? [] })),
			);
			const height = (each: { name: string }) => this.node(each.name).position[1];
			const waiting = after.filter((each) => each.items.length > 0);
			stack.unshift(...waiting.sort((one, other) => height(one) - height(other)));
		}
		return this;
	}

	private execute(node: INode, given: Item[]): Item[][] {
		const items = node.executeOnce ? given.slice(0, 1) : given;
		const valueOf = <Value>(path: string, item = items[0]) => {
			const inside = (from: unknown, key: string) => (from as Values | undefined)?.[key];
			const found = path.split('.').reduce<unknown>(inside, node.parameters);
			return this.resolve(found, node, items, item) as Value;
		};
		const does = this.others[node.name] ?? KINDS[node.type.split('.').at(-1) ?? ''];
		if (!does && node.type.endsWith('.code')) return [this.code(node, items)];
		if (!does && node.type.endsWith('.splitInBatches')) return this.loop(node, items);
		if (!does) throw new Error(`nobody does ${node.name}`);
		const outputs = does(items, node, valueOf);
		if (node.type.endsWith('.stopAndError')) this.error = outputs[0]?.[0]?.json.error as string;
		return outputs;
	}

	private code(node: INode, items: Item[]): Item[] {
		const scope = this.scope(node, items, items[0]);
		return run(`${String(node.parameters.jsCode)}`, scope) as Item[];
	}

	private loop({ name, parameters }: INode, items: Item[]): Item[][] {
		const left = (this.loops[name] ??= [...items]);
		const portion = left.splice(0, parameters.batchSize as number);
		return portion.length > 0 ? [[], portion] : [items, []];
	}

	/** All expressions in a parameter. */
	private resolve(value: unknown, node: INode, items: Item[], item?: Item): unknown {
		const inside = (each: unknown) => this.resolve(each, node, items, item);
		if (Array.isArray(value)) return value.map(inside);
		if (value !== null && typeof value === 'object') {
			return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, inside(each)]));
		}
		if (typeof value !== 'string' || !value.startsWith('=')) return value;
		const scope = this.scope(node, items, item);
		const whole = /^=\{\{((?:(?!\}\}[^}]).)*)\}\}$/s.exec(value);
		if (whole) return run(`return (${whole[1]})`, scope);
		return value
			.slice(1)
			.replace(/\{\{(.*?)\}\}/gs, (_, code) => String(run(`return (${code})`, scope)));
	}

	private scope(node: INode, items: Item[], item?: Item): Values {
		const $ = (name: string) => {
			const runs = this.runs[name] ?? [];
			const all = (output = 0, index = runs.length - 1) => runs[index]?.[output] ?? [];
			const params = () => this.resolve(this.node(name).parameters, node, items, item);
			return {
				isExecuted: runs.length > 0,
				all,
				first: () => all()[0],
				last: () => all().at(-1),
				get params() {
					return params();
				},
				get item() {
					let at = item && { node: '', item };
					while (at && at.node !== name) at = at.item.from;
					return at?.item;
				},
			};
		};
		const $input = { all: () => items, first: () => items[0] };
		const $runIndex = (this.runs[node.name] ?? []).length;
		return {
			$,
			$input,
			$json: item?.json,
			$runIndex,
			$execution: { mode: 'trigger' },
		};
	}
}

function run(code: string, scope: Values): unknown {
	return compileFunction(code, Object.keys(scope))(...Object.values(scope)) as unknown;
}

const each =
	(jsonOf: (item: Item, valueOf: ValueOf) => IDataObject): Does =>
	(items, { name }, valueOf) => [
		items.map((item) => ({
			json: jsonOf(item, (path) => valueOf(path, item)),
			from: { node: name, item },
		})),
	];

interface Assignment {
	name: string;
	value: string;
}

/** What n8n's nodes do, as far as the recipes use it. */
const KINDS: Record<string, Does | undefined> = {
	manualTrigger: (items) => [items],
	scheduleTrigger: (items) => [items],
	errorTrigger: (items) => [items],
	executeWorkflowTrigger: (items) => [items],
	set: each(({ json: given }, valueOf) => {
		const only = valueOf<string | undefined>('includeFields');
		const others = only ? { [only]: given[only] } : valueOf('includeOtherFields') ? given : {};
		const json: IDataObject = { ...others };
		for (const { name, value } of valueOf<Assignment[]>('assignments.assignments')) {
			const [key = '', inner] = name.split('.');
			json[key] = inner ? { ...(json[key] as object), [inner]: value } : value;
		}
		return json;
	}),
	if: (items, _, valueOf) => {
		const passes = (item: Item) =>
			valueOf<Array<{ leftValue: unknown }>>('conditions.conditions', item)[0]?.leftValue === true;
		return [items.filter(passes), items.filter((item) => !passes(item))];
	},
	stopAndError: (_, __, valueOf) => [[{ json: { error: valueOf('errorMessage') } }]],
};
