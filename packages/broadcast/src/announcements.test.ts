import { expect, test } from 'vitest';
import { ANNOUNCED_FOR_MS, Announcements } from './announcements.ts';

const cluster = (id: string, ordinal: number, engine = 'i/e') => ({ engine, id, ordinal });
const node = (address: string, isDraining = false, clusterNodes: readonly string[] = []) => ({
  address,
  kernelVersion: 'v1',
  isDraining,
  clusterNodes,
});

test('a cluster sees the others of its engine, ordered by engine.cluster_ordinal, with draining nodes last', () => {
  const announcements = new Announcements('clusters', () => 0);
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
  const announcements = new Announcements('clusters', () => now);
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
  const announcements = new Announcements('clusters', () => 0);
  announcements.add(cluster('a', 0), node('a:1'));
  expect(() => announcements.add(cluster('b', 0), node('b:1'))).toThrow(
    /Cluster b with ordinal 0 contradicts cluster a with ordinal 0 \(node a:1\)/,
  );
  expect(() => announcements.add(cluster('a', 1), node('a:2'))).toThrow(/cluster a with ordinal 0/);
  // A node may return as part of another cluster.
  announcements.add(cluster('b', 0), node('a:1'));
  expect(announcements.others(cluster('c', 5)).map(({ cluster: { id } }) => id)).toEqual(['b']);
});

test('an engine sees the clusters of the other engines of the instance, ordered by name and ordinal', () => {
  const announcements = new Announcements('engines', () => 0);
  announcements.add(cluster('b', 1, 'i/two'), node('b:1'));
  announcements.add(cluster('a', 0, 'i/two'), node('a:1'));
  announcements.add(cluster('', 0, 'i/one'), node('o:1'));
  announcements.add(cluster('', 0, 'i/three'), node('t:1'));
  const seenBy = (engine: string, id: string) =>
    announcements.others({ engine, id }).map(({ cluster: other }) => `${other.engine} ${other.id}`);
  expect(seenBy('i/one', '')).toEqual(['i/three ', 'i/two a', 'i/two b']);
  expect(seenBy('i/two', 'a')).toEqual(['i/one ', 'i/three ']);
});

test('two engines of one name, whose nodes do not know each other, are refused; a new list of nodes is not', () => {
  const announcements = new Announcements('engines', () => 0);
  announcements.add(cluster('', 0), node('a:1', false, ['a:1', 'a:2']));
  announcements.add(cluster('', 0), node('a:3', false, ['a:1', 'a:3']));
  expect(() => announcements.add(cluster('', 0), node('b:1', false, ['b:1']))).toThrow(
    /nodes b:1 and a:1 belong to different clusters .* needs an engine.id of its own/,
  );
});
