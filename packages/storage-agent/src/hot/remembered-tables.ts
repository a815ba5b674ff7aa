import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ObjectId, TabletId } from '@tessera/catalog';

/** A resident table that a restarted node should have again. */
export interface RememberedTable {
  readonly tableId: ObjectId;
  /** The ids of its columns. */
  readonly columns: readonly number[];
  /** The ids of its tablets; undefined means all tablets of the table. */
  readonly tablets?: readonly TabletId[] | undefined;
}

/** The name of the file in the directory of the agent. */
export const REMEMBERED_FILE = 'resident.json';
const VERSION = 1;

/** The file in which an agent keeps what it has in memory, most recently used first. */
export class RememberedTables {
  readonly #path: string;
  /** Nothing is written as long as nothing has been in memory. */
  #written = textOf([]);

  constructor(directory: string) {
    this.#path = join(directory, REMEMBERED_FILE);
  }

  /** Empty if there is no file, or if another version or a damaged disk has left one that is not understood. */
  async read(): Promise<readonly RememberedTable[]> {
    const text = await readFile(this.#path, 'utf8').catch(() => '');
    try {
      const { version, tables } = JSON.parse(text) as {
        version: unknown;
        tables: readonly RememberedTable[];
      };
      if (version !== VERSION || !tables.every(isValid)) return [];
      this.#written = text;
      return tables;
    } catch {
      return [];
    }
  }

  /** Replaces the file if the tables are other ones than it has. A crash leaves the old file or the new one. */
  async write(tables: readonly RememberedTable[]): Promise<void> {
    const text = textOf(tables);
    if (text === this.#written) return;
    const staged = `${this.#path}.new`;
    await writeFile(staged, text, { mode: 0o600 });
    await rename(staged, this.#path);
    this.#written = text;
  }
}

const textOf = (tables: readonly RememberedTable[]): string => JSON.stringify({ version: VERSION, tables });

const isValid = ({ tableId, columns, tablets }: RememberedTable): boolean =>
  typeof tableId === 'string' &&
  columns.every((id) => Number.isInteger(id)) &&
  (tablets === undefined || tablets.every((id) => typeof id === 'string'));
