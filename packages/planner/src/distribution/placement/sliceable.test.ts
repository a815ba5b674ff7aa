import { expect, it } from 'vitest';
import type { Relation } from '../../relational/relation.ts';
import type { Planning } from './planning.ts';
import { sliceableInputs } from './sliceable.ts';

const PLANNING = { partials: new Set() } as unknown as Planning;
const COLUMNS = [{ name: 'a', type: { id: 'BIGINT' } }];
const input = (id: number) => ({ kind: 'input', id, columns: COLUMNS }) as unknown as Relation;
const slices = (relation: object) => [...sliceableInputs(PLANNING, relation as Relation)].sort();
const join = (type: string) => ({ kind: 'join', type, left: input(0), right: input(1), columns: COLUMNS });

it('the side of a join whose rows are processed one by one can be sliced', () => {
  expect(slices(join('inner'))).toEqual([0, 1]);
  expect(slices(join('left'))).toEqual([0]);
  expect(slices(join('right'))).toEqual([1]);
  expect(slices(join('full'))).toEqual([]);
});

it('no input of UNION ALL is sliced, because each slice would bring all rows of the other inputs again', () => {
  const union = { kind: 'union', inputs: [input(0), input(1)], columns: COLUMNS };
  expect(slices(union)).toEqual([]);
  expect(slices({ kind: 'filter', input: union, columns: COLUMNS })).toEqual([]);
});

it('nothing below an operator that combines several rows can be sliced', () => {
  expect(slices({ kind: 'aggregate', input: input(0), aggregates: [], columns: COLUMNS })).toEqual([]);
  expect(slices({ kind: 'window', input: input(0), columns: COLUMNS })).toEqual([]);
});
