import type { Action, CatalogState, Tablet } from '../src/index.ts';
import { CatalogState as State } from '../src/index.ts';
import { add, commit, create, table, tablet } from '../src/testing/catalog-fixtures.ts';

const BATCH = 1000;

/** A tablet with statistics like those of real columns: numbers, dates, decimals and texts. */
export function statedTablet(tableId: string, id: string, seed: number, columns: number): Tablet {
  const statistics = Array.from({ length: columns }, (_, i) => {
    const base = (seed * 7919 + i * 104_729) % 1_000_000;
    const value = (offset: number) => {
      const number = base + offset;
      if (i % 4 === 0) return String(number);
      if (i % 4 === 1) return new Date(number * 3_600_000).toISOString().slice(0, 10);
      if (i % 4 === 2) return `${number}.${String(number % 100).padStart(2, '0')}`;
      return `Customer#${String(number).padStart(9, '0')}`;
    };
    return { column: i + 1, min: value(0), max: value(1000), nulls: seed % 3 };
  });
  return tablet(tableId, id, { statistics, rows: 100_000 + (seed % 1000), bytes: 20_000_000 + seed });
}

/** Ids as they come from a clock. */
const idOf = (n: number) => `01KDVE6Q${n.toString(32).toUpperCase().padStart(18, '0')}`;

/** A catalog whose table `t0` has the given number of tablets. */
export function fillTable(tablets: number, columns: number): CatalogState {
  let state = commit(State.empty, create(table('t0')));
  for (let start = 0; start < tablets; start += BATCH) {
    const actions: Action[] = [];
    for (let i = start; i < Math.min(start + BATCH, tablets); i++)
      actions.push(add(statedTablet('t0', idOf(i), i, columns)));
    state = commit(state, ...actions);
  }
  return state;
}

/** Tables `t0`, `t1`, … */
export function manyTables(tables: number, tabletsEach: number, columns: number): CatalogState {
  let state = State.empty;
  for (let t = 0; t < tables; t++) {
    const name = `t${t}`;
    const actions = [create(table(name))];
    for (let i = 0; i < tabletsEach; i++)
      actions.push(add(statedTablet(name, idOf(t * tabletsEach + i), t * tabletsEach + i, columns)));
    state = commit(state, ...actions);
  }
  return state;
}
