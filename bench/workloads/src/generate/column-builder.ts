import type { Column } from '../parquet/column.ts';
import type { WorkloadColumn } from '../workload.ts';
import { columnTypeOf, type Value } from './source.ts';

/** Gathers the values of one column of a row group. */
export class ColumnBuilder {
  readonly #column: WorkloadColumn;
  readonly #values: Exclude<Value, null>[] = [];
  readonly #present: number[] = [];

  constructor(column: WorkloadColumn) {
    this.#column = column;
  }

  /** @throws Error for a NULL in a column that does not allow it */
  add(value: Value): void {
    if (this.#column.nullable) this.#present.push(value === null ? 0 : 1);
    else if (value === null) throw new Error(`${this.#column.name} has a NULL`);
    if (value !== null) this.#values.push(value);
  }

  column(): Column {
    if (!this.#column.nullable) return this.#filled();
    return { ...this.#filled(), present: new Uint8Array(this.#present) };
  }

  #filled(): Column {
    const values = this.#values;
    const type = columnTypeOf(this.#column);
    if (type === 'text') return { type: 'strings', values: values as string[] };
    if (typeof values[0] === 'bigint')
      return { type: 'large', values: new BigInt64Array(values as bigint[]) };
    return { type, values: new Float64Array(values as number[]) };
  }
}
