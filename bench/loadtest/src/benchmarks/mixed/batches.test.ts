import { expect, test } from 'vitest';
import { Batches } from './batches.ts';

test('a query may or may not see writes in progress, and must see acknowledged ones', () => {
  const batches = new Batches(10, 1);
  const first = batches.insertBegins();
  const seen = batches.bounds();
  expect(first).toBe(11);
  expect(seen()).toEqual({ least: 10, most: 11 });
  batches.insertEnds(first);
  expect(batches.bounds()()).toEqual({ least: 11, most: 11 });
  const gone = batches.deleteBegins();
  expect(batches.bounds()()).toEqual({ least: 10, most: 11 });
  // The bounds of the earlier query include it too.
  expect(seen()).toEqual({ least: 9, most: 11 });
  expect(batches.isThere(gone)).toBe(false);
  batches.deleteEnds();
  expect(batches.bounds()()).toEqual({ least: 10, most: 10 });
});

test('a write that failed without effect counts as not sent', () => {
  const batches = new Batches(2, 1);
  batches.insertBegins();
  batches.insertFails();
  const gone = batches.deleteBegins();
  batches.deleteFails(gone);
  expect(batches.bounds()()).toEqual({ least: 2, most: 2 });
  expect(batches.isThere(gone)).toBe(true);
});

test('readers ask for the newest batch often', () => {
  const batches = new Batches(1_000, 3);
  batches.insertEnds(batches.insertBegins());
  const asked = Array.from({ length: 1_000 }, () => batches.any());
  expect(asked.filter((batch) => batch === 1_001).length).toBeGreaterThan(400);
  expect(new Set(asked).size).toBeGreaterThan(300);
});
