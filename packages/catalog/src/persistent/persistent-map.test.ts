import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hashOf } from './hash-trie.ts';
import { PersistentMap } from './persistent-map.ts';

/** Words that FNV-1a gives the same hash in pairs. */
const COLLIDING = ['costarring', 'liquid', 'declinate', 'macallums', 'altarage', 'zinke'];

/** Pairs whose hashes differ in the two highest bits only: they part on the last level. */
const CLOSE = ['1h695h4708', '846mt2t7a', '9wa5od47h', 'yair6vte'];

test('the test has keys with equal and nearly equal hashes', () => {
  expect(new Set(COLLIDING.map(hashOf)).size).toBe(3);
  expect(new Set(CLOSE.map(hashOf)).size).toBe(4);
  expect(new Set(CLOSE.map((word) => hashOf(word) & 0x3fff_ffff)).size).toBe(2);
});

const key = fc.oneof(fc.constantFrom(...COLLIDING, ...CLOSE), fc.nat(40).map(String));
const change = fc.record({ key, remove: fc.boolean() });

test('behaves as a map and leaves earlier versions unchanged', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 120 }), (changes) => {
      const model = new Map<string, number>();
      let map = PersistentMap.empty<number>();
      const seen: [PersistentMap<number>, Map<string, number>][] = [];
      for (const [i, { key, remove }] of changes.entries()) {
        seen.push([map, new Map(model)]);
        map = remove ? map.without(key) : map.with(key, i);
        if (remove) model.delete(key);
        else model.set(key, i);
      }
      seen.push([map, model]);
      for (const [actual, expected] of seen) {
        expect(new Map(actual)).toEqual(expected);
        expect(actual.size).toBe(expected.size);
        for (const { key } of changes) {
          expect(actual.get(key)).toBe(expected.get(key));
          expect(actual.has(key)).toBe(expected.has(key));
        }
      }
    }),
    { numRuns: 200 },
  );
});

test('a map made from entries equals one made by single insertions and is independent of it', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(key, fc.nat())), key, (entries, extra) => {
      const map = PersistentMap.from(entries);
      const grown = map.with(extra, -1);
      expect(new Map(map)).toEqual(new Map(entries));
      expect(map.size).toBe(new Map(entries).size);
      expect(grown.get(extra)).toBe(-1);
    }),
  );
});

test('removing an absent key returns the same map', () => {
  const map = PersistentMap.from([['a', 1]]);
  expect(map.without('b')).toBe(map);
});
