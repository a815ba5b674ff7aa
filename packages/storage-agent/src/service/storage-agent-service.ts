import type { TableObject, Tablet, TabletId } from '@tessera/catalog';
import { TesseraError } from '@tessera/common';
import { type ServedService, StorageAgentService, serviceOf } from '@tessera/rpc';
import type { AgentMetrics, StorageAgent } from '../storage-agent.ts';

/** Serves requests of other nodes about the tablets of this one. */
export const storageAgentService = (agent: StorageAgent): ServedService =>
  serviceOf(StorageAgentService, {
    status: async () => {
      const metrics = agent.metrics();
      const counts = Object.entries(metrics).map(([name, value]) => [name, BigInt(Math.round(value))]);
      return Object.fromEntries(counts) as Record<keyof AgentMetrics, bigint>;
    },
    warm: async ({ table, tablets, columns }, { signal }) => {
      const bytes = await agent.warm(
        fromJson<TableObject>(table),
        tablets.map(fromJson<Tablet>),
        columns,
        signal,
      );
      return { bytesFetched: BigInt(bytes) };
    },
    evict: async ({ tablets }) => {
      await agent.forget(tablets.map(fromJson<Tablet>));
      return {};
    },
    locate: async ({ tabletIds }) => ({
      bytesOnDisk: tabletIds.map((id) => BigInt(agent.bytesOnDisk(id as TabletId))),
    }),
    readRange: async function* ({ tabletId, offset, bytes, chunks }, { signal }) {
      const range = { offset: Number(offset), bytes: Number(bytes), chunks };
      for await (const data of agent.localRange(tabletId as TabletId, range)) {
        if (signal.aborted) return;
        yield { data };
      }
    },
  });

/** Parses a message of another node. Its shape is trusted, as that of log entries is. */
function fromJson<T extends { readonly id: string }>(bytes: Uint8Array): T {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string')
      return value as T;
  } catch (cause) {
    throw malformed(cause);
  }
  throw malformed();
}

const malformed = (cause?: unknown) =>
  TesseraError.of('BAD_REQUEST', { message: 'A table or tablet is not JSON of the catalog' }, { cause });
