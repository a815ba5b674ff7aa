import { TesseraError } from '@tessera/common';
import type { LogEntry, SealedEntry, SystemRecord } from '../log/entry.ts';
import { BOOTSTRAP_OBJECTS } from './bootstrap.ts';
import { CatalogDraft } from './catalog-draft.ts';
import { CatalogState } from './catalog-state.ts';
import type { Tombstone } from './garbage.ts';
import type { StateParts } from './state-parts.ts';

/**
 * The state after the entry. Conflicts were decided before it was written and are not looked for again.
 * @throws TesseraError CORRUPT_METADATA when the entry is not the next one of this log
 */
export function applyEntry(state: CatalogState, sealed: SealedEntry): CatalogState {
  const { entry } = sealed;
  checkChain(state, entry);
  const timeMs = Math.max(Date.parse(entry.time), state.parts.timeMs);
  const draft = new CatalogDraft(state.parts, entry.version, timeMs);
  if (entry.version === 1) dateBootstrapObjects(draft, entry.time);
  let { results } = state.parts;
  for (const transaction of entry.txns) {
    for (const action of transaction.actions) draft.apply(action);
    results = results.with(transaction.idempotencyKey, entry.version, timeMs);
  }
  let parts = draft.finish();
  for (const record of entry.records) parts = applyRecord(parts, record, entry.version, timeMs);
  return new CatalogState({
    ...parts,
    version: entry.version,
    epoch: entry.epoch,
    headSha256: sealed.sha256,
    timeMs,
    results,
  });
}

function checkChain(state: CatalogState, entry: LogEntry): void {
  const newEpoch = entry.records.some((record) => record.kind === 'new_epoch');
  const reason =
    entry.version !== state.version + 1
      ? `it has version ${entry.version}`
      : entry.prevSha256 !== state.headSha256
        ? `it follows an entry of SHA-256 ${entry.prevSha256}, not ${state.headSha256}`
        : newEpoch !== entry.epoch > state.epoch || entry.epoch < state.epoch
          ? `it has epoch ${entry.epoch} after ${state.epoch}`
          : undefined;
  if (reason !== undefined)
    throw TesseraError.of('CORRUPT_METADATA', { what: `log entry ${state.version + 1}`, reason });
}

function dateBootstrapObjects(draft: CatalogDraft, time: string): void {
  for (const object of BOOTSTRAP_OBJECTS)
    draft.apply({ kind: 'alter', object: { ...object, createdAt: time, alteredAt: time } });
}

function applyRecord(
  parts: StateParts,
  record: SystemRecord,
  version: number,
  removedAtMs: number,
): StateParts {
  let { tombstones } = parts;
  switch (record.kind) {
    case 'new_epoch':
      return parts;
    case 'gc_intent':
      for (const name of record.names) {
        const known: Tombstone = tombstones.get(name) ?? { name, removedAtMs, version, collecting: true };
        tombstones = tombstones.with(name, { ...known, collecting: true });
      }
      return {
        ...parts,
        tombstones,
        orphansBeforeMs: Math.max(parts.orphansBeforeMs, record.orphansBeforeMs ?? 0),
      };
    case 'gc_done':
      for (const name of record.names) tombstones = tombstones.without(name);
      return { ...parts, tombstones };
  }
}
