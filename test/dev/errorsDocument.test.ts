import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import * as ts from 'typescript';

import { projectRoot } from '../../dev/projectRoot';

const read = (path: string) => readFileSync(join(projectRoot, path), 'utf8');

/** What is filled in at run time, in texts of the sources as in the document. */
const GAP = '…';
/** Fields and parameters by which the sources hand on what happened; the rest of a failure is advice. */
const MESSAGE = /^(happened|problems?|whyEmpty)$/;
/** Calls whose argument is a message, by its place, where the name of the parameter does not say so. */
const MESSAGE_AT: Record<string, number> = {
	Failure: 0,
	inputFailure: 0,
	problem: 0,
	UserError: 0,
	NodeOperationError: 1,
};

const trees = ['nodes', 'credentials'].flatMap((folder) =>
	readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
		.filter((path) => path.endsWith('.ts'))
		.map((path) => `${folder}/${path}`)
		.map((path) => ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true)),
);

function nodesIn(root: ts.Node): ts.Node[] {
	const children: ts.Node[] = [];
	root.forEachChild((child) => void children.push(child));
	return [root, ...children.flatMap(nodesIn)];
}

const nodes = trees.flatMap(nodesIn);

/** What a name may stand for: a function, or the values of a variable. */
const definitions = nodes.flatMap(
	(node): Array<{ name: string; value: ts.Node; scope: ts.Node }> => {
		const isAssignment =
			ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken;
		const [name, value] = isAssignment
			? [node.left, node.right]
			: ts.isVariableDeclaration(node)
				? [node.name, node.initializer]
				: ts.isFunctionDeclaration(node)
					? [node.name, node]
					: [];
		if (!name || !value || !ts.isIdentifier(name)) return [];
		return [{ name: name.text, value, scope: functionAround(node) }];
	},
);

/** The file, for what stands in no function. */
function functionAround({ parent }: ts.Node): ts.Node {
	return ts.isSourceFile(parent) || ts.isFunctionLike(parent) ? parent : functionAround(parent);
}

function definitionsOf(identifier: ts.Identifier): ts.Node[] {
	const isInScope = (scope: ts.Node) =>
		ts.isSourceFile(scope) || nodesIn(scope).includes(identifier);
	const all = definitions.filter(({ name, scope }) => name === identifier.text && isInScope(scope));
	const here = all.filter(({ value }) => value.getSourceFile() === identifier.getSourceFile());
	return (here.length > 0 ? here : all).map(({ value }) => value);
}

/** What a function can return. */
function returnsOf(node: ts.Node): ts.Node[] {
	if (!ts.isFunctionDeclaration(node) && !ts.isArrowFunction(node)) return [];
	if (!node.body || !ts.isBlock(node.body)) return node.body ? [node.body] : [];
	return nodesIn(node.body).flatMap((inner) =>
		ts.isReturnStatement(inner) ? (inner.expression ?? []) : [],
	);
}

const joined = (parts: string[][]) =>
	parts.reduce((before, after) => before.flatMap((text) => after.map((more) => text + more)));

/** Every text that an expression can become. */
function textsOf(node: ts.Node, seen: ts.Node[] = []): string[] {
	if (seen.includes(node)) return [GAP];
	const of = (...inner: ts.Node[]) => inner.flatMap((each) => textsOf(each, [...seen, node]));
	if (ts.isStringLiteralLike(node)) return [node.text];
	if (ts.isTemplateExpression(node)) {
		const parts = node.templateSpans.flatMap(({ expression, literal }) => [
			ts.isCallExpression(expression) ? [GAP] : of(expression),
			[literal.text],
		]);
		return joined([[node.head.text], ...parts]);
	}
	if (ts.isConditionalExpression(node)) return of(node.whenTrue, node.whenFalse);
	if (ts.isBinaryExpression(node)) {
		const { left, operatorToken, right } = node;
		const isSum = operatorToken.kind === ts.SyntaxKind.PlusToken;
		return isSum ? joined([of(left), of(right)]) : of(left, right);
	}
	if (ts.isArrayLiteralExpression(node)) return of(...node.elements);
	if (ts.isSpreadElement(node) || ts.isParenthesizedExpression(node)) return of(node.expression);
	if (ts.isIdentifier(node)) {
		const found = definitionsOf(node);
		return found.length > 0 ? of(...found) : [GAP];
	}
	if (ts.isArrowFunction(node)) return of(...returnsOf(node));
	if (!ts.isCallExpression(node)) return [GAP];
	const { expression, arguments: given } = node;
	const called = ts.isIdentifier(expression) ? definitionsOf(expression) : given;
	const returned = called.flatMap(returnsOf);
	return returned.length > 0 ? of(...returned) : [GAP];
}

function messageIn(node: ts.Node): ts.Node | undefined {
	if (ts.isPropertyAssignment(node)) {
		return MESSAGE.test(node.name.getText()) ? node.initializer : undefined;
	}
	if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return undefined;
	const { expression } = node;
	if (!ts.isIdentifier(expression)) return undefined;
	const parameters = definitionsOf(expression).flatMap((called) =>
		ts.isFunctionDeclaration(called) ? [...called.parameters] : [],
	);
	const place = parameters.findIndex(({ name }) => MESSAGE.test(name.getText()));
	return node.arguments?.[MESSAGE_AT[expression.text] ?? place];
}

const HAS_WORDS = /[a-z]/;
const messages = new Set(
	nodes
		.flatMap((node) => messageIn(node) ?? [])
		.flatMap((node) => textsOf(node))
		.filter((text) => HAS_WORDS.test(text)),
);
const texts = nodes
	.filter((node) => ts.isStringLiteralLike(node) || ts.isTemplateExpression(node))
	.flatMap((node) => textsOf(node));

const phrases = [...read('docs/errors.md').matchAll(/\*\*(.+?)\*\*/g)].map(
	([, words = '']) => words,
);

/** Whether a phrase stands in a text; a gap in it may stand for anything. */
function standsIn(phrase: string, text: string): boolean {
	const words = phrase.split(GAP).map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
	return new RegExp(words.join('.*')).test(text);
}

test('every phrase of docs/errors.md stands in the sources', () => {
	expect(phrases.length).toBeGreaterThan(60);
	const isSomewhere = (phrase: string) => texts.some((text) => standsIn(phrase, text));
	expect(phrases.filter((phrase) => !isSomewhere(phrase))).toEqual([]);
});

test('docs/errors.md has every message of the sources', () => {
	expect(messages.size).toBeGreaterThan(60);
	const isListed = (message: string) => phrases.some((phrase) => standsIn(phrase, message));
	expect([...messages].filter((message) => !isListed(message))).toEqual([]);
});
