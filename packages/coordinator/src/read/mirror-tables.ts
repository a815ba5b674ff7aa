import type { TableObject } from '@tessera/catalog';
import { type Kernel, type KernelSession, quoteName } from '@tessera/kernel';
import { MANAGED_SCHEMA } from '@tessera/sql';

/** Tables that no statement uses are dropped beyond this number, least recently used first. */
const MAX_IDLE_TABLES = 2_000;

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
 * The empty tables of the mirror kernel: one for every managed table and shape of it that statements read, made on demand.
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
  async use(session: KernelSession, table: TableObject, rowPositions: boolean): Promise<MirrorUse> {
    const shape = `${this.#shapeOf(table)}${rowPositions ? '+' : ''}`;
    const known = this.#tables.get(shape);
    const entry = known ?? this.#make(session, table, rowPositions);
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

  #make(session: KernelSession, table: TableObject, rowPositions: boolean): MirrorTable {
    const name = `t_${table.id.toLowerCase()}_${this.#count++}`;
    const columns = table.columns.map((c) => `${quoteName(c.name)} ${c.type}`);
    if (rowPositions) columns.push('"$tablet" INTEGER', '"$row" BIGINT');
    const sql = `CREATE TABLE ${MANAGED_SCHEMA}.${name} (${columns.join(', ')})`;
    return { name, made: session.execute(sql).then(() => undefined), users: 0 };
  }

  async #dropIdle(session: KernelSession): Promise<void> {
    if (this.#tables.size <= MAX_IDLE_TABLES) return;
    for (const [shape, { name, users }] of this.#tables) {
      if (users > 0) continue;
      this.#tables.delete(shape);
      // What cannot be dropped now stays until the process ends: it is empty.
      await session.execute(`DROP TABLE IF EXISTS ${MANAGED_SCHEMA}.${name}`).catch(() => undefined);
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
