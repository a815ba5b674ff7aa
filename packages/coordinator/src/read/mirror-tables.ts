import type { Snapshot, TableObject } from '@tessera/catalog';
import type { Kernel, KernelSession } from '@tessera/kernel';

/** Tables that no statement uses are dropped beyond this number, least recently used first. */
const MAX_IDLE_TABLES = 2_000;

const ROW_POSITION = [
  { name: '$tablet', type: 'INTEGER' },
  { name: '$row', type: 'BIGINT' },
];

interface MirrorTable {
  readonly name: string;
  /** Settles when the table is there. */
  readonly made: Promise<void>;
  users: number;
}

export interface MirrorUse {
  readonly name: string;
  release(): void;
}

/**
 * The size by which statements over a table are planned: the power of two that its number of rows is nearest to. Plans hold
 * as long as it does.
 */
export const plannedRows = (snapshot: Snapshot, table: TableObject): number => {
  const { rows, deletedRows } = snapshot.totals(table.id);
  return 2 ** Math.round(Math.log2(Math.max(1, rows - deletedRows)));
};

/** What statements are bound and planned over. */
export interface MirroredTable {
  readonly table: TableObject;
  readonly rowPositions: boolean;
  /** As `plannedRows` tells. */
  readonly rows: number;
}

/**
 * The relations of the mirror kernel: one for every managed table, shape and size of it that statements read, made on demand.
 * What a kernel process knew is gone with it; statements that come after find out and ask again.
 */
export class MirrorTables {
  readonly #kernel: Kernel;
  /** By shape, least recently used first. */
  readonly #tables = new Map<string, MirrorTable>();
  readonly #shapes = new WeakMap<TableObject, string>();
  #processId: string | undefined;
  #count = 0;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
  }

  /** A session that sees the tables in use. */
  async session(timeZone: string): Promise<KernelSession> {
    const session = await this.#kernel.session({ timeZone });
    if (session.processId !== this.#processId) {
      this.#tables.clear();
      this.#processId = session.processId;
    }
    return session;
  }

  /** Makes the table if need be, in the process that `session` is on, and keeps it until the use is released. */
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
      throw error;
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

  /** Equal for tables that statements cannot tell apart. */
  #shapeOf(table: TableObject): string {
    const known = this.#shapes.get(table);
    if (known !== undefined) return known;
    const shape = JSON.stringify([table.id, table.columns.map((c) => [c.name, c.type])]);
    this.#shapes.set(table, shape);
    return shape;
  }
}
