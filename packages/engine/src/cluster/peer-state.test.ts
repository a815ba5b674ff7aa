import { asIncarnation, asNodeName } from '@tessera/common';
import type { ClusterNode } from '@tessera/scheduler';
import { describe, expect, it } from 'vitest';
import { afterPing, nextPingAfterMs, type PeerChange, type PeerState, UNKNOWN_PEER } from './peer-state.ts';
import type { PingReply } from './pinger.ts';

const node = (incarnation: string): ClusterNode => ({
  index: 1,
  name: asNodeName('b:5678'),
  shuffleAddress: 'b:16000',
  incarnation: asIncarnation(incarnation),
  version: '1',
  status: 'running',
  startedAtMs: 0,
  threads: 1,
  memoryLimitBytes: 1,
});

const answer = (incarnation = 'first'): PingReply => ({
  kind: 'answer',
  node: node(incarnation),
  places: 0,
  hasReleased: true,
});
const late: PingReply = { kind: 'late', reason: 'no answer in time' };
const unreachable: PingReply = { kind: 'unreachable', reason: 'connect ECONNREFUSED' };
const refusal: PingReply = { kind: 'refusal', reason: 'it refuses: another kernel' };

/** The state changes for a sequence of replies, one per second. */
function changes(replies: readonly PingReply[], from: PeerState = UNKNOWN_PEER): PeerChange[] {
  let state = from;
  return replies.map((reply) => {
    const change = afterPing(state, reply, 1_000);
    state = change.state;
    return change;
  });
}

const kinds = (replies: readonly PingReply[]) => changes(replies).map(({ state }) => state.kind);
const losses = (replies: readonly PingReply[]) =>
  changes(replies).flatMap(({ lost }) => (lost === undefined ? [] : [[lost.node.incarnation, lost.reason]]));

describe('a node', () => {
  it('is alive when it has answered, and not before', () => {
    expect(kinds([unreachable, late, answer()])).toEqual(['unknown', 'unknown', 'living']);
    expect(losses([unreachable, late, unreachable, answer()])).toEqual([]);
  });

  it('is lost after three seconds of silence, once', () => {
    const replies = [answer(), late, late, late, late];
    expect(kinds(replies)).toEqual(['living', 'living', 'living', 'lost', 'lost']);
    expect(losses(replies)).toEqual([['first', 'no answer in time']]);
  });

  it('is not lost if its silence ends in time', () => {
    expect(kinds([answer(), late, late, answer(), late, late])).not.toContain('lost');
  });

  it('is lost at the second refused connection', () => {
    expect(kinds([answer(), unreachable, unreachable])).toEqual(['living', 'living', 'lost']);
    expect(kinds([answer(), unreachable, answer(), unreachable])).not.toContain('lost');
  });

  it('counts as another node when it returns as another incarnation', () => {
    expect(losses([answer(), answer('second')])).toEqual([['first', 'it was restarted']]);
    // The loss was already reported.
    expect(losses([answer(), unreachable, unreachable, answer('second')])).toHaveLength(1);
  });

  it('is the same node when it was only silent', () => {
    const replies = [answer(), late, late, late, answer()];
    expect(kinds(replies).at(-1)).toBe('living');
    expect(losses(replies)).toHaveLength(1);
  });

  it('that refuses is excluded at once, until it answers', () => {
    expect(kinds([answer(), refusal, answer()])).toEqual(['living', 'refused', 'living']);
    expect(losses([answer(), refusal])).toEqual([['first', 'it refuses: another kernel']]);
    expect(kinds([refusal, unreachable])).toEqual(['refused', 'unknown']);
  });
});

it('silence only counts time in which this process was able to listen', () => {
  const [, { state }] = changes([answer(), late]) as [PeerChange, PeerChange];
  expect(afterPing(state, late, 0).state.kind).toBe('living');
  expect(afterPing(state, late, 2_000).state.kind).toBe('lost');
});

describe('the next ping', () => {
  const living = afterPing(UNKNOWN_PEER, answer(), 0).state;
  const failed = afterPing(living, unreachable, 0).state;

  it.each([
    ['in a cluster of four nodes', 3, 500],
    ['in a cluster of 26 nodes', 25, 500],
    ['in a cluster of 51 nodes', 50, 1_000],
    ['in a cluster of 200 nodes', 199, 1_500],
  ])('follows the one before it %s', (_, peers, everyMs) => {
    expect(nextPingAfterMs(living, answer(), peers, 0)).toBe(everyMs);
    expect(nextPingAfterMs(living, answer(), peers, 100)).toBe(everyMs - 100);
    expect(nextPingAfterMs(living, answer(), peers, 5_000)).toBe(0);
  });

  it.each([3, 199])('comes as soon after silence however many nodes there are (%d)', (peers) => {
    expect(nextPingAfterMs(living, late, peers, 100)).toBe(400);
    expect(nextPingAfterMs(UNKNOWN_PEER, unreachable, peers, 0)).toBe(500);
    expect(nextPingAfterMs(failed, unreachable, peers, 50)).toBe(100);
  });
});
