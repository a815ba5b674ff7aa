import { expect, it } from 'vitest';
import type { Effect, StoreAnswer } from './effects.ts';
import type { Happening } from './events.ts';
import { entryKey } from './log-keys.ts';
import { LOG_NODE_DEFAULTS } from './options.ts';
import { initialState, step } from './step.ts';

/** A node that reads an empty store, until another node's entry appears in a listing after the reads of entries; this repeats. */
function readsAgain(first: number, times: number) {
  let state = initialState({ ...LOG_NODE_DEFAULTS, incarnation: 'n', address: 'n:1' });
  let effects: readonly Effect[] = [];
  const tell = (happening: Happening) => {
    ({ state, effects } = step(state, { ...happening, nowMs: 0, monotonicMs: 0 }));
  };
  const answer = (...answers: readonly StoreAnswer[]) => {
    for (const one of answers) tell({ kind: 'stored', op: state.reading!.op, answer: one });
  };
  tell({ kind: 'latest', request: 1 });
  const absent = { kind: 'absent' } as const;
  const nothing = { kind: 'got_all', bodies: [undefined, undefined] } as const;
  for (let time = 1; time <= times; time++) {
    if (state.reading?.phase.kind === 'listing_checkpoints') answer({ kind: 'listed', keys: [] }, absent);
    answer(nothing, absent, { kind: 'listed', keys: [entryKey(first)] });
    if (state.role.kind === 'broken') break;
    tell({ kind: 'timer', op: state.reading!.op });
  }
  return { role: state.role.kind, effects };
}

it('goes on when another node has just begun the log, however often reads fail', () => {
  expect(readsAgain(1, 10).role).toBe('follower');
});

it('stops at a log without its first entries', () => {
  const { role, effects } = readsAgain(2, 10);
  expect(role).toBe('broken');
  expect(effects).toContainEqual(
    expect.objectContaining({ kind: 'reply', reply: expect.objectContaining({ kind: 'failed' }) }),
  );
});
