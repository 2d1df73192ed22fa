import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';

import type { IDataObject } from 'n8n-workflow';

import type { WorkflowJson } from '../../../dev/engine/engine';
import { projectRoot } from '../../../dev/projectRoot';
import type { ExampleName } from '../../../dev/start/readExample';

type Json = IDataObject;
/** Values that expressions and code use beside other nodes. */
type Scope = Record<`$${string}` | 'setTimeout' | 'Date', unknown>;
type Items = Array<{ json: Json }>;

/** Virtual time: code that waits continues at once, and the time has passed. */
export class Clock {
	/** In milliseconds. */
	passed = 0;
	readonly pauses: number[] = [];
	readonly scope = {
		Date: datesOf(() => Date.now() + this.passed),
		setTimeout: (done: () => void, ms: number) => {
			this.pauses.push(ms);
			this.passed += ms;
			done();
		},
	};
}
const datesOf = (now: () => number) =>
	class extends Date {
		constructor(value?: number | string | Date) {
			super(value ?? now());
		}
		static override now = now;
	};

/** Compiling is slow, so each code is compiled once. */
const compiled = new Map<string, ReturnType<typeof compileFunction>>();
function run(code: string, scope: Partial<Scope>): unknown {
	const key = Object.keys(scope) + code;
	const known = compiled.get(key) ?? compileFunction(code, Object.keys(scope));
	compiled.set(key, known);
	return known(...Object.values(scope)) as unknown;
}

/** The code and the expressions of a recipe in one execution; {@link put} gives the output of its nodes. */
export class Recipe {
	/** By node and run. */
	private readonly runs: Record<string, Json[][]> = {};
	readonly workflow: WorkflowJson;

	constructor(
		name: ExampleName,
		readonly execution = '1',
		private readonly clock = new Clock(),
	) {
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

	/** The output of a Code node. */
	code<Output = Json>(name: string, input: Json[], scope: Partial<Scope> = {}): Output[] {
		const code = String(this.parametersOf(name).jsCode);
		return this.putAll(name, run(code, this.scopeOf(name, input, scope)) as Items);
	}

	/** The output of a Code node that waits. */
	async waitingCode<Output = Json>(
		name: string,
		input: Json[],
		scope: Partial<Scope> = {},
	): Promise<Output[]> {
		const code = `return (async () => {${String(this.parametersOf(name).jsCode)}\n})();`;
		return this.putAll(name, (await run(code, this.scopeOf(name, input, scope))) as Items);
	}

	private scopeOf(name: string, input: Json[], scope: Partial<Scope>): Partial<Scope> {
		const all = input.map((json) => ({ json }));
		const $input = { all: () => all, first: () => all[0] };
		return { ...this.scope, $input, $runIndex: (this.runs[name] ?? []).length, ...scope };
	}

	private putAll<Output>(name: string, items: Items): Output[] {
		return this.put(
			name,
			items.map(({ json }) => json),
		) as Output[];
	}

	/** The values of a Set node, without those that it lets through. */
	set(name: string, scope: Partial<Scope>): Json {
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
	resolve(value: unknown, scope: Partial<Scope> = {}): unknown {
		if (typeof value !== 'string' || !value.startsWith('=')) return value;
		const all = { ...this.scope, ...scope };
		const whole = /^=\{\{((?:(?!\}\}[^}]).)*)\}\}$/s.exec(value);
		if (whole) return run(`return (${whole[1]})`, all);
		return value
			.slice(1)
			.replace(/\{\{(.*?)\}\}/gs, (_, code) => String(run(`return (${code})`, all)));
	}

	private get scope(): Partial<Scope> {
		const $ = (name: string) => {
			const runs = this.runs[name] ?? [];
			const all = (...[, index = runs.length - 1]: number[]) =>
				(runs[index] ?? []).map((json) => ({ json }));
			const first = () => all()[0];
			const last = (...[, index]: number[]) => all(0, index ?? runs.length - 1).at(-1);
			const [isExecuted, params] = [runs.length > 0, this.parametersOf(name)];
			return { isExecuted, all, first, last, item: first(), params };
		};
		return { $, $execution: { mode: 'trigger', id: this.execution }, ...this.clock.scope };
	}
}
