import { DataDeduplicationService } from 'n8n-core';
import type { IDataDeduplicator } from 'n8n-workflow';

/** Lets the helpers of the next run use this store; without one, n8n-core throws as it does alone. */
export function useDeduplication(deduplicator?: IDataDeduplicator): void {
	// n8n-core allows one for each process (2.41.1, data-deduplication-service).
	(DataDeduplicationService as unknown as { instance?: unknown }).instance = undefined;
	if (deduplicator) void DataDeduplicationService.init(deduplicator);
}
