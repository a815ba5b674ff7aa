import { asNodeProcess, asQueryId } from '@tessera/common';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Coordinators } from './coordinators.ts';

const HEARTBEAT_MS = 1_000;

let nowMs = 0;
let gone: (readonly [string, readonly string[]])[] = [];
let coordinators: Coordinators;

beforeEach(() => {
  [nowMs, gone] = [0, []];
  coordinators = new Coordinators({
    heartbeatMs: HEARTBEAT_MS,
    onGone: (coordinator, queryIds) => gone.push([coordinator, queryIds]),
    now: () => nowMs,
  });
});
afterEach(() => coordinators.close());

const ran = (queryId: string, run: number) =>
  coordinators.begin(asNodeProcess('a:1/x'), asQueryId(queryId), run)(false);

function silence() {
  nowMs += 3 * HEARTBEAT_MS;
  coordinators.sweep();
}

it('a coordinator that is gone leaves the queries that it did not release', () => {
  ran('first', 1);
  ran('second', 1);
  coordinators.released(asQueryId('first'), { run: 1 });
  silence();
  expect(gone).toEqual([['a:1/x', ['second']]]);
});

it('nothing is kept of queries whose runs are released, each by itself', () => {
  ran('twice', 1);
  ran('twice', 2);
  coordinators.released(asQueryId('twice'), { run: 1 });
  coordinators.released(asQueryId('twice'), { run: 2 });
  silence();
  expect(gone).toEqual([]);
});

it('a query of which another run, or other stages, may be left is kept', () => {
  ran('runs', 1);
  ran('runs', 2);
  ran('stages', 1);
  coordinators.released(asQueryId('runs'), { run: 1 });
  coordinators.released(asQueryId('stages'), { run: 1, stages: [0] });
  silence();
  expect(gone).toEqual([['a:1/x', ['runs', 'stages']]]);
});

it('a query is released whole', () => {
  ran('whole', 1);
  ran('whole', 2);
  coordinators.released(asQueryId('whole'));
  silence();
  expect(gone).toEqual([]);
});
