import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';

import type { IDataObject } from 'n8n-workflow';

import type { WorkflowJson } from '../../../dev/engine/engine';
import { projectRoot } from '../../../dev/projectRoot';
import type { ExampleName } from '../../../dev/start/readExample';

type Json = IDataObject;
/** What expressions and code may ask for beside other nodes. */
type Scope = Record<`$${string}`, unknown>;

/** What takes long, once for each code. */
const compiled = new Map<string, ReturnType<typeof compileFunction>>();
function run(code: string, scope: Scope): unknown {
	const key = Object.keys(scope) + code;
	const known = compiled.get(key) ?? compileFunction(code, Object.keys(scope));
	compiled.set(key, known);
	return known(...Object.values(scope)) as unknown;
}

/** The code and the expressions of a recipe; what its nodes put out is given by {@link put}. */
export class Recipe {
	/** By node and run. */
	private readonly runs: Record<string, Json[][]> = {};
	readonly workflow: WorkflowJson;

	constructor(name: ExampleName) {
		const path = join(projectRoot, 'examples', `${name}.workflow.json`);
		this.workflow = JSON.parse(readFileSync(path, 'utf8')) as WorkflowJson;
	}

	parametersOf(name: string): Json {
		const found = this.workflow.nodes.find((node) => node.name === name);
		if (!found) throw new Error(`no node ${name}`);
		return found.parameters;
	}

	put(name: string, items: Json[]): Json[] {
		(this.runs[name] ??= []).push(structuredClone(items));
		return items;
	}

	/** What a Code node gives. */
	code<Output = Json>(name: string, input: Json[], scope: Scope = {}): Output[] {
		const all = input.map((json) => ({ json }));
		const $input = { all: () => all, first: () => all[0] };
		const $runIndex = (this.runs[name] ?? []).length;
		const code = String(this.parametersOf(name).jsCode);
		type Items = Array<{ json: Json }>;
		const items = run(code, { ...this.scope, $input, $runIndex, ...scope }) as Items;
		const jsons = items.map(({ json }) => json);
		return this.put(name, jsons) as Output[];
	}

	/** The values of a Set node, without those that it lets through. */
	set(name: string, scope: Scope): Json {
		const { assignments } = this.parametersOf(name).assignments as {
			assignments: Array<{ name: string; value: unknown }>;
		};
		const json: Json = {};
		for (const { name: path, value } of assignments) {
			const [key = '', inner] = path.split('.');
			const each = this.resolve(value, scope) as Json;
			json[key] = inner ? { ...(json[key] as Json), [inner]: each } : each;
		}
		return json;
	}

	/** What the first condition compares of an If node, or of a Switch node's way. */
	condition(of: Json, $json: Json = {}): unknown {
		const { conditions } = of.conditions as { conditions: Json[] };
		return this.resolve(conditions[0]?.leftValue, { $json });
	}

	/** A parameter's value: a text, or the result of an expression. */
	resolve(value: unknown, scope: Scope = {}): unknown {
		if (typeof value !== 'string' || !value.startsWith('=')) return value;
		const all = { ...this.scope, ...scope };
		const whole = /^=\{\{((?:(?!\}\}[^}]).)*)\}\}$/s.exec(value);
		if (whole) return run(`return (${whole[1]})`, all);
		return value
			.slice(1)
			.replace(/\{\{(.*?)\}\}/gs, (_, code) => String(run(`return (${code})`, all)));
	}

	private get scope(): Scope {
		const $ = (name: string) => {
			const runs = this.runs[name] ?? [];
			const all = (...[, index = runs.length - 1]: number[]) =>
				(runs[index] ?? []).map((json) => ({ json }));
			const first = () => all()[0];
			const last = () => all().at(-1);
			const [isExecuted, params] = [runs.length > 0, this.parametersOf(name)];
			return { isExecuted, all, first, last, item: first(), params };
		};
		return { $, $execution: { mode: 'trigger', id: '1' } };
	}
}
