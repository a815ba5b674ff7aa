import type { ObjectId, Snapshot, TabletId } from '@tessera/catalog';
import type { TableValues, ValueShares } from '@tessera/planner';
import type { ValueSample } from './sample-values.ts';

/** A sample is outdated when fewer than this share of its tablets are left. */
const LEAST_LEFT = 0.75;

/** The estimated memory of a column and of a value without its text. */
const COLUMN_BYTES = 128;
const VALUE_BYTES = 64;

const NONE: ReadonlyMap<string, number> = new Map();

export interface SampledValuesOptions {
  /** The shares of NULL by the names of columns. */
  readonly nulls: ReadonlyMap<string, number>;
  /** Called once for each column that an estimate depends on. */
  readonly ask: (column: string) => void;
  /** The values of the same table when it had another size. They are used until there are new samples. */
  readonly before: SampledValues | undefined;
}

/** The last version of all instances, so that no two contents have the same. */
let lastVersion = 0;

/** The NULLs of columns, and the common values of those that were sampled. */
export class SampledValues implements TableValues {
  version: number;
  bytes: number;
  readonly #nulls: ReadonlyMap<string, number>;
  readonly #ask: (column: string) => void;
  readonly #shares = new Map<string, ValueShares>();
  readonly #common: Map<string, ReadonlyMap<string, number>>;
  #tablets: readonly TabletId[];
  #contentsVersion: number | undefined;

  constructor({ nulls, ask, before }: SampledValuesOptions) {
    this.#nulls = nulls;
    this.#ask = ask;
    this.version = before?.version ?? 0;
    this.bytes = before?.bytes ?? 0;
    this.#common = new Map(before === undefined ? [] : before.#common);
    this.#tablets = before === undefined ? [] : before.#tablets;
  }

  get sampledColumns(): Iterable<string> {
    return this.#common.keys();
  }

  of(column: string): ValueShares {
    const known = this.#shares.get(column);
    if (known !== undefined) return known;
    const shares = { nulls: this.#nulls.get(column), common: this.#common.get(column) ?? NONE };
    this.#shares.set(column, shares);
    if (!this.#common.has(column)) this.#ask(column);
    return shares;
  }

  add({ tablets, common }: ValueSample): void {
    for (const [column, values] of common) {
      this.bytes += bytesOf(column, values) - bytesOf(column, this.#common.get(column));
      this.#common.set(column, values);
      this.#shares.delete(column);
    }
    this.#tablets = tablets;
    lastVersion += 1;
    this.version = lastVersion;
  }

  /** Whether many sampled rows were replaced. True once for each version of the table's contents. */
  isOutdated(snapshot: Snapshot, tableId: ObjectId): boolean {
    const version = snapshot.contentsVersion(tableId);
    // Uncommitted changes have negative versions.
    if (version < 0 || version === this.#contentsVersion) return false;
    this.#contentsVersion = version;
    const left = this.#tablets.filter((id) => snapshot.tablet(tableId, id) !== undefined).length;
    return left < this.#tablets.length * LEAST_LEFT;
  }
}

function bytesOf(column: string, values: ReadonlyMap<string, number> | undefined): number {
  if (values === undefined) return 0;
  const bytes = COLUMN_BYTES + 2 * column.length;
  return [...values.keys()].reduce((sum, value) => sum + VALUE_BYTES + 2 * value.length, bytes);
}
