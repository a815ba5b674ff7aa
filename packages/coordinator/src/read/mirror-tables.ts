import type { Snapshot, TableObject } from '@tessera/catalog';
import type { Kernel, KernelSession, SessionOptions } from '@tessera/kernel';
import { liveRows, type ReadTable } from './index-coverage.ts';

/** The number of unused tables that are kept; beyond it, the least recently used are dropped. */
const MAX_IDLE_TABLES = 2_000;

const ROW_POSITION = [
  { name: '$tablet', type: 'INTEGER' },
  { name: '$row', type: 'BIGINT' },
];

interface MirrorTable {
  readonly name: string;
  /** Settles when the table exists. */
  readonly made: Promise<void>;
  users: number;
}

export interface MirrorUse {
  readonly name: string;
  release(): void;
}

/**
 * The table size that statements are planned with: the power of two nearest to its number of rows. Plans stay
 * valid as long as it does not change.
 */
export const plannedRows = (snapshot: Snapshot, table: ReadTable): number =>
  2 ** Math.round(Math.log2(Math.max(1, liveRows(snapshot, table))));

/** A table that statements are bound and planned over. */
export interface MirroredTable {
  readonly table: ReadTable;
  readonly rowPositions: boolean;
  /** The row count of `plannedRows`. */
  readonly rows: number;
}

/**
 * The relations of the mirror kernel, created on demand: one for each managed table, shape and size that
 * statements read. They are lost with their kernel process; later statements notice that and request them
 * again.
 */
export class MirrorTables {
  readonly #kernel: Kernel;
  /** The tables by shape, least recently used first. */
  readonly #tables = new Map<string, MirrorTable>();
  readonly #shapes = new WeakMap<TableObject, string>();
  #processId: string | undefined;
  #count = 0;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
  }

  /** A session that sees the tables in use. */
  async session(options: Pick<SessionOptions, 'timeZone' | 'signal'>): Promise<KernelSession> {
    const session = await this.#kernel.session(options);
    if (session.processId !== this.#processId) {
      this.#tables.clear();
      this.#processId = session.processId;
    }
    return session;
  }

  /** Creates the table if necessary, in the process of `session`, and keeps it until the use is released. */
  async use(session: KernelSession, mirrored: MirroredTable): Promise<MirrorUse> {
    const { table, rowPositions, rows } = mirrored;
    const shape = `${this.#shapeOf(table)} ${rows}${rowPositions ? '+' : ''}`;
    const known = this.#tables.get(shape);
    const entry = known ?? this.#make(session, mirrored);
    this.#tables.delete(shape);
    this.#tables.set(shape, entry);
    entry.users += 1;
    try {
      await entry.made;
    } catch (error) {
      if (this.#tables.get(shape) === entry) this.#tables.delete(shape);
      if (known === undefined) throw error;
      // The statement that was to make it may have been cancelled.
      return this.use(session, mirrored);
    }
    await this.#dropIdle(session);
    let released = false;
    return {
      name: entry.name,
      release: () => {
        if (!released) entry.users -= 1;
        released = true;
      },
    };
  }

  #make(session: KernelSession, { table, rowPositions, rows }: MirroredTable): MirrorTable {
    const name = `t_${table.id.toLowerCase()}_${this.#count++}`;
    const columns = rowPositions ? [...table.columns, ...ROW_POSITION] : table.columns;
    const plain = columns.map((column) => ({ name: column.name, type: column.type }));
    return { name, made: session.defineRelation(name, plain, rows), users: 0 };
  }

  async #dropIdle(session: KernelSession): Promise<void> {
    if (this.#tables.size <= MAX_IDLE_TABLES) return;
    for (const [shape, { name, users }] of this.#tables) {
      if (users > 0) continue;
      this.#tables.delete(shape);
      await session.dropRelation(name).catch(() => undefined);
      return;
    }
  }

  /** A key that is equal for tables that statements cannot distinguish. */
  #shapeOf(table: ReadTable): string {
    const known = this.#shapes.get(table);
    if (known !== undefined) return known;
    const shape = JSON.stringify([table.id, table.columns.map((c) => [c.name, c.type]), table.uncoveredBy]);
    this.#shapes.set(table, shape);
    return shape;
  }
}
