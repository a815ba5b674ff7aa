import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Tablet } from '../model.ts';
import { tablet } from '../testing/catalog-fixtures.ts';
import { TabletList } from './tablet-list.ts';

test('keeps the order in which tablets were added after any removals', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(1200), fc.nat())), (rounds) => {
      let list = TabletList.empty;
      let model: { tablet: Tablet; ordinal: number }[] = [];
      for (const [added, removed] of rounds) {
        for (let i = 0; i < added; i++) {
          const fresh = tablet('t', `${list.nextOrdinal}`);
          model.push({ tablet: fresh, ordinal: list.nextOrdinal });
          list = list.with(fresh);
        }
        // Every second, or every third…: chunks shrink evenly and are joined.
        const step = 1 + (removed % 4);
        const gone = model.filter((_, i) => i % (step + 1) !== 0);
        for (const { ordinal } of gone) list = list.without(ordinal);
        model = model.filter((_, i) => i % (step + 1) === 0);
        expect(list.all()).toEqual(model.map((m) => m.tablet));
        expect(list.size).toBe(model.length);
        for (const { tablet: expected, ordinal } of model) expect(list.at(ordinal)).toBe(expected);
      }
    }),
    { numRuns: 15 },
  );
});

test('an earlier list is not changed', () => {
  const one = TabletList.empty.with(tablet('t', 'a'));
  const two = one.with(tablet('t', 'b'));
  expect(
    two
      .without(0)
      .all()
      .map((t) => t.id),
  ).toEqual(['b']);
  expect(one.all().map((t) => t.id)).toEqual(['a']);
  expect(two.all().map((t) => t.id)).toEqual(['a', 'b']);
});

test('chunks that removals made small are merged', () => {
  let list = TabletList.empty;
  for (let i = 0; i < 5120; i++) list = list.with(tablet('t', `${i}`));
  for (let i = 0; i < 5120; i++) if (i % 100 !== 0) list = list.without(i);
  expect(list.size).toBe(52);
  expect(list.chunks()).toHaveLength(1);
});
