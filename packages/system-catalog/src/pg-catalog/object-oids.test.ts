import { expect, it } from 'vitest';
import { ObjectOids } from './object-oids.ts';

const keys = Array.from({ length: 20_000 }, (_, i) => `01HZ${String(i).padStart(22, '0')}`);

it('gives every object a unique OID that fits an int4', () => {
  const oids = new ObjectOids(keys);
  const all = keys.map((key) => oids.of(key));
  expect(new Set(all).size).toBe(keys.length);
  expect(Math.min(...all)).toBeGreaterThanOrEqual(16_384);
  expect(Math.max(...all)).toBeLessThanOrEqual(0x7fff_ffff);
});

it('objects keep their OIDs when others are added', () => {
  const before = new ObjectOids(keys.slice(0, 10_000));
  const after = new ObjectOids(keys);
  expect(keys.slice(0, 10_000).every((key) => before.of(key) === after.of(key))).toBe(true);
});
