import type { Action, NodeProcess, ObjectId, Snapshot } from '@tessera/catalog';
import { TEMPORARY_SCHEMA } from '@tessera/catalog';
import { newUlid } from '@tessera/common';
import { dropRelations } from '../objects/dependents.ts';

/** The temporary tables of one client session. They are in a schema of their own in each database. */
export class TemporaryTables {
  /** The name of these schemas, unique to the session. */
  readonly schemaName = `${TEMPORARY_SCHEMA}_${newUlid().toLowerCase()}`;
  /** The process that the session belongs to. */
  readonly process: NodeProcess;
  /** The ON COMMIT action by table. Tables that are not listed are left as they are. */
  readonly #atCommit = new Map<ObjectId, 'delete' | 'drop'>();
  #isUsed = false;

  constructor(process: NodeProcess) {
    this.process = process;
  }

  /** Whether the session may have a temporary table. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  use(): void {
    this.#isUsed = true;
  }

  /** Records the ON COMMIT action of a table, which need not be committed yet. */
  keep(table: ObjectId, onCommit: 'preserve' | 'delete' | 'drop'): void {
    if (onCommit !== 'preserve') this.#atCommit.set(table, onCommit);
  }

  /** Returns the actions at the end of a transaction that leaves the catalog in this state. */
  atCommit(snapshot: Snapshot): readonly Action[] {
    return [...this.#atCommit].flatMap(([id, what]) => {
      const table = snapshot.object(id);
      if (table?.kind !== 'table') return [];
      if (what === 'drop') return dropRelations(snapshot, [table], { cascade: true });
      return snapshot
        .tablets(id)
        .map(
          (tablet) =>
            ({ kind: 'remove_tablet', tableId: id, tabletId: tablet.id, reason: 'truncate' }) as const,
        );
    });
  }
}
