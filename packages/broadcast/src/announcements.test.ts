import { expect, test } from 'vitest';
import { ANNOUNCED_FOR_MS, Announcements } from './announcements.ts';

const cluster = (id: string, ordinal: number, engine = 'i/e') => ({ engine, id, ordinal });
const node = (address: string, isDraining = false) => ({ address, kernelVersion: 'v1', isDraining });

test('a cluster sees the others of its engine, ordered by engine.cluster_ordinal, with draining nodes last', () => {
  const announcements = new Announcements(() => 0);
  announcements.add(cluster('c', 2), node('c:1'));
  announcements.add(cluster('b', 1), node('b:1', true));
  announcements.add(cluster('b', 1), node('b:2'));
  announcements.add(cluster('a', 0), node('a:1'));
  announcements.add(cluster('x', 0, 'i/other'), node('x:1'));
  const others = announcements.others(cluster('a', 0));
  expect(others.map(({ cluster: { id } }) => id)).toEqual(['b', 'c']);
  expect(others[0]!.nodes.map(({ address }) => address)).toEqual(['b:2', 'b:1']);
  expect(announcements.others(cluster('x', 0, 'i/other'))).toEqual([]);
});

test('an announcement expires unless it is repeated', () => {
  let now = 0;
  const announcements = new Announcements(() => now);
  announcements.add(cluster('b', 1), node('b:1'));
  announcements.add(cluster('b', 1), node('b:2'));
  now = ANNOUNCED_FOR_MS;
  announcements.add(cluster('b', 1), node('b:2'));
  expect(announcements.others(cluster('a', 0))[0]!.nodes).toHaveLength(2);
  now++;
  expect(announcements.others(cluster('a', 0))[0]!.nodes.map(({ address }) => address)).toEqual(['b:2']);
  now += ANNOUNCED_FOR_MS;
  expect(announcements.others(cluster('a', 0))).toEqual([]);
});

test('two clusters with one ordinal, or one cluster with two, are refused by the names in question', () => {
  const announcements = new Announcements(() => 0);
  announcements.add(cluster('a', 0), node('a:1'));
  expect(() => announcements.add(cluster('b', 0), node('b:1'))).toThrow(
    /Cluster b with ordinal 0 contradicts cluster a with ordinal 0 \(node a:1\)/,
  );
  expect(() => announcements.add(cluster('a', 1), node('a:2'))).toThrow(/cluster a with ordinal 0/);
  // A node may return as part of another cluster.
  announcements.add(cluster('b', 0), node('a:1'));
  expect(announcements.others(cluster('c', 5)).map(({ cluster: { id } }) => id)).toEqual(['b']);
});
