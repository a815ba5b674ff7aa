import { expect, it } from 'vitest';
import { SharedCall } from './shared-call.ts';

/** Calls that end when the test ends them. */
function calls() {
  const begun: PromiseWithResolvers<number>[] = [];
  const shared = new SharedCall(() => {
    const call = Promise.withResolvers<number>();
    begun.push(call);
    return call.promise;
  });
  return { begun, shared };
}

it('a caller that arrives during a call gets the result of the next call', async () => {
  const { begun, shared } = calls();
  const first = shared.run();
  const [second, third] = [shared.run(), shared.run()];
  expect(begun).toHaveLength(1);
  begun[0]!.resolve(1);
  expect(await first).toBe(1);
  await expect.poll(() => begun.length).toBe(2);
  begun[1]!.resolve(2);
  expect(await Promise.all([second, third])).toEqual([2, 2]);
});

it('a failing call only fails its own waiting callers', async () => {
  const { begun, shared } = calls();
  const first = expect(shared.run()).rejects.toThrow('gone');
  const second = shared.run();
  begun[0]!.reject(new Error('gone'));
  await first;
  await expect.poll(() => begun.length).toBe(2);
  begun[1]!.resolve(2);
  expect(await second).toBe(2);
});
