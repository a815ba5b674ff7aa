import type { Column } from '../parquet/column.ts';
import { plainTexts } from '../parquet/plain.ts';
import type { WorkloadColumn } from '../workload.ts';
import { columnTypeOf, type Value } from './source.ts';

/** Texts that are at most so many different ones are a dictionary. */
const MOST_WORDS = 256;

/** Gathers the values of one column of a row group. */
export class ColumnBuilder {
  readonly #column: WorkloadColumn;
  readonly #values: Exclude<Value, null>[] = [];
  readonly #present: number[] = [];

  constructor(column: WorkloadColumn) {
    this.#column = column;
  }

  /** @throws Error for a NULL that may not be */
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
    if (type === 'text') return textColumn(values as string[]);
    if (typeof values[0] === 'bigint')
      return { type: 'large', values: new BigInt64Array(values as bigint[]) };
    return { type, values: new Float64Array(values as number[]) };
  }
}

function textColumn(texts: readonly string[]): Column {
  const placeOf = new Map<string, number>();
  for (const text of texts) {
    if (!placeOf.has(text)) placeOf.set(text, placeOf.size);
    if (placeOf.size > MOST_WORDS) return { type: 'text', rows: texts.length, bytes: plainTexts(texts) };
  }
  if (placeOf.size === 0) return { type: 'text', rows: 0, bytes: new Uint8Array() };
  const places = Uint8Array.from(texts, (text) => placeOf.get(text)!);
  return { type: 'words', words: [...placeOf.keys()], places };
}
