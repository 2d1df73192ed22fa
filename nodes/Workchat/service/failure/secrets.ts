import type { IDataObject } from 'n8n-workflow';

import { readingsOf } from '../text/unescaped';

/** Shorter values are no secrets, and removing them would garble every text. */
const SHORTEST_SECRET = 4;
/** Of one value in a query, where words and sizes stand too. */
const SHORTEST_VALUE = 8;
/** The last ones: signatures stand at the end. */
const MOST_VALUES = 20;
/** Letters and digits in a row that give a secret away. */
const RUN = 16;
const BLOCK = RUN / 2;
/** What breaks words in two, one after the other. What looks like it may be part of a secret, too. */
const MARKUP = [/&\w{1,40};/g, /<[^<>]*>/g];

/** Values that may stand in no error, hint or log. Looked for only where there is an error. */
export class Secrets {
	static readonly NONE = new Secrets(() => []);
	private known: { texts: string[]; short: string[]; long: string } | undefined;

	constructor(private readonly find: () => string[]) {}

	/** With those of a link. */
	with(link: string): Secrets {
		return new Secrets(() => [...this.find(), ...secretsOfLink(link)]);
	}

	/** A text with `***` for each secret that is written as it is. */
	masked(text: string): string {
		return this.forms().texts.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
	}

	/** Whether a text has a secret in it, or {@link RUN} letters and digits of one, however written. */
	isIn(text: string): boolean {
		const { short, long } = this.forms();
		const readings = readingsOf(text);
		for (const mark of MARKUP) readings.push(...readings.map((one) => one.replace(mark, '')));
		const all = [...new Set(readings)].map(folded).join('\n');
		return short.some((secret) => all.includes(secret)) || shareRun(all, long);
	}

	private forms(): { texts: string[]; short: string[]; long: string } {
		if (this.known) return this.known;
		const texts = [...new Set(this.find().map((secret) => secret.trim()))]
			.filter(({ length }) => length >= SHORTEST_SECRET)
			.sort((one, other) => other.length - one.length);
		const readings = texts.flatMap((secret) => [secret, readingsOf(secret).at(-1) ?? '']);
		const folds = readings.map(folded).filter(({ length }) => length >= SHORTEST_SECRET);
		const short = folds.filter(({ length }) => length < RUN);
		return (this.known = { texts, short, long: folds.join(' ') });
	}
}

/** What is secret about a field of a request; in a link, its query and user info always are. */
export interface SecretField {
	name: string;
	isSecret?: boolean;
}

export function secretsIn(body: IDataObject, fields: SecretField[]): string[] {
	return fields.flatMap(({ name, isSecret }) => {
		const value = body[name];
		if (typeof value !== 'string') return [];
		return isSecret ? [value] : secretsOfLink(value);
	});
}

/** Links often carry a signature in their query, and now and then a user and a password. */
export function secretsOfLink(link: string): string[] {
	// It may be too long to be parsed.
	const parts = /^\s*https?:[/\\]*(?:([^/\\?#]*)@)?[^?#]*(?:\?([^#]*))?/i.exec(link);
	const [, userInfo = '', query = ''] = parts ?? [];
	const values = [...new URLSearchParams(query)].map(([name, value]) => value || name);
	const all = values.join('&');
	const names = userInfo.split(':').filter(({ length }) => length >= SHORTEST_VALUE);
	const secrets = values.filter(isTelling).slice(-MOST_VALUES);
	return [userInfo, ...names, ...secrets, all.length >= RUN ? all : ''];
}

/** Whether it is more than a word or a date. */
function isTelling(value: string): boolean {
	return (
		value.length >= RUN || (value.length >= SHORTEST_VALUE && !/^(?:[A-Z]?[a-z]+|\d+)$/.test(value))
	);
}

/** Small letters and digits only: the same in both alphabets of base64, and broken over lines. */
function folded(text: string): string {
	// One by one, as marks in a row take Node a time that grows with their square.
	return text.toLowerCase().replace(/[^a-z\d]/gu, (other) => {
		const plain = other.normalize('NFKD').toLowerCase();
		return plain.replace(/[^\p{L}\p{N}]|\p{Default_Ignorable_Code_Point}/gu, '');
	});
}

/** Whether they share {@link RUN} characters: then a whole block of the secrets stands in the text. */
function shareRun(text: string, secrets: string): boolean {
	const blocks = piecesOf(text, BLOCK);
	const runs = piecesOf(text, RUN);
	for (let at = 0; at < secrets.length; at += BLOCK) {
		if (!blocks.has(secrets.slice(at, at + BLOCK))) continue;
		for (let from = Math.max(0, at - BLOCK); from <= at; from++) {
			if (runs.has(secrets.slice(from, from + RUN))) return true;
		}
	}
	return false;
}

function piecesOf(text: string, length: number): Set<string> {
	const count = Math.max(0, text.length - length + 1);
	return new Set(Array.from({ length: count }, (_, at) => text.slice(at, at + length)));
}
