import { sleep, type ICheckProcessedOptions, type IExecuteFunctions } from 'n8n-workflow';

import { waitForAbort } from '../../common/abort';
import { messageOf } from '../../service/failure/failure';
import { runExclusive } from '../runExclusive';

/** With more entries, n8n drops the oldest (n8n 2.40, deduplication-helper). */
export const MAX_ENTRIES = 41_000;
const OPTIONS: ICheckProcessedOptions = { mode: 'entries', maxEntries: MAX_ENTRIES };
const SCOPE = 'node';

/** n8n's deduplication store, as an execution accesses it. */
export type DedupHelpers = Pick<
	IExecuteFunctions['helpers'],
	'checkProcessedAndRecord' | 'removeProcessed' | 'getProcessedDataCount'
> &
	Pick<IExecuteFunctions, 'logger'>;

/** Milliseconds for each call: n8n itself has no timeout. */
export const CALL_TIMEOUT = 10_000;
/** Milliseconds before each further attempt of a check. */
const RETRY_DELAYS = [50, 250, 1250];
export const MAX_ATTEMPTS = RETRY_DELAYS.length + 1;

/** The entries that n8n had before, and the attempt that succeeded, from 0. */
type Answer = [found: Set<string>, attempt: number];

/**
 * The row of one node in n8n's deduplication store. Each call reads and writes the whole row without a
 * lock. So the calls of this process run one after another; also after a call that has timed out.
 */
export class DedupRow {
	/** Entries for the next call of `record`, and that call, as long as it waits for its turn. */
	private toRecord: string[] = [];
	private recording: Promise<unknown> | undefined;

	/** @param helpers of the latest execution: those of any execution reach the same row */
	constructor(public helpers: DedupHelpers) {}

	/**
	 * Returns which entries the row has, and adds the others. An attempt that failed may still add its
	 * entries, even later, and the next attempt may find them.
	 * @param entriesAt returns the entries to check in an attempt
	 */
	async check(entriesAt: (attempt: number) => string[]): Promise<Answer> {
		return await this.call(async () => await this.tryCheck(entriesAt, 0));
	}

	/** Adds entries. All that are to be added before its turn share one call. */
	async record(entries: string[]): Promise<void> {
		this.toRecord.push(...entries);
		this.recording ??= this.call(async () => {
			// Its turn has come: later entries need another call.
			const batch = this.toRecord.splice(0);
			this.recording = undefined;
			await this.tryCheck(() => batch, 0);
		});
		await this.recording;
	}

	/** No retry: the call may have worked, and another execution may have added the entries since. */
	async remove(entries: string[]): Promise<void> {
		await this.call(async () => await this.helpers.removeProcessed(entries, SCOPE, OPTIONS));
	}

	/** Resolves once all calls so far have ended. */
	async idle(): Promise<void> {
		await runExclusive(this, async () => {});
	}

	/** Counts the entries of the row. */
	async count(): Promise<number> {
		return await this.call(async () => await this.helpers.getProcessedDataCount(SCOPE, OPTIONS));
	}

	private async tryCheck(
		entriesAt: (attempt: number) => string[],
		attempt: number,
	): Promise<Answer> {
		return await this.helpers.checkProcessedAndRecord(entriesAt(attempt), SCOPE, OPTIONS).then(
			({ processed }) => [new Set(processed.map(String)), attempt],
			async (error: unknown) => {
				this.helpers.logger.debug(`Workchat: deduplication store failed: ${messageOf(error)}`);
				const delay = RETRY_DELAYS[attempt];
				if (delay === undefined) throw error;
				await sleep(delay);
				return await this.tryCheck(entriesAt, attempt + 1);
			},
		);
	}

	/** Makes a call when its turn comes. Rejects after a timeout, though the call may still work. */
	private async call<T>(request: () => Promise<T>): Promise<T> {
		const timeout = waitForAbort(AbortSignal.timeout(CALL_TIMEOUT)).then(() => {
			throw new Error('its deduplication store does not answer');
		});
		return await Promise.race([runExclusive(this, request), timeout]);
	}
}
