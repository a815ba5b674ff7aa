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

  add(value: Value): void {
    this.#present.push(value === null ? 0 : 1);
    if (value !== null) this.#values.push(value);
  }

  /** @throws Error for a NULL that may not be */
  column(): Column {
    const { name, nullable } = this.#column;
    if (nullable) return { ...this.#filled(), present: Uint8Array.from(this.#present) };
    if (this.#values.length < this.#present.length) throw new Error(`${name} has a NULL`);
    return this.#filled();
  }

  #filled(): Column {
    const values = this.#values;
    const type = columnTypeOf(this.#column);
    if (type === 'text') return textColumn(values as string[]);
    if (typeof values[0] === 'bigint')
      return { type: 'large', values: BigInt64Array.from(values as bigint[]) };
    return { type, values: Float64Array.from(values as number[]) };
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
