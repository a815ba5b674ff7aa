import { expect, test } from 'vitest';
import { Slots } from './slots.ts';

/** Work that runs until it is ended; `running` lists the work that has started and not ended. */
class Works {
  readonly running: number[] = [];
  readonly #slots: Slots;
  readonly #ends = new Map<number, () => void>();

  constructor(slots: Slots) {
    this.#slots = slots;
  }

  start(bytes: number): void {
    void this.#slots.run(bytes, async () => {
      this.running.push(bytes);
      await new Promise<void>((end) => this.#ends.set(bytes, end));
      this.running.splice(this.running.indexOf(bytes), 1);
    });
  }

  async end(bytes: number): Promise<void> {
    this.#ends.get(bytes)!();
    await new Promise(setImmediate);
  }
}

test('work waits in order while the limit of its number or of its bytes is reached', async () => {
  const works = new Works(new Slots(3, 100));
  for (const bytes of [40, 50, 20, 5, 6]) works.start(bytes);
  expect(works.running).toEqual([40, 50]);
  // The small ones do not overtake.
  await works.end(50);
  expect(works.running).toEqual([40, 20, 5]);
  await works.end(40);
  expect(works.running).toEqual([20, 5, 6]);
});

test('work of more bytes than the limit runs alone, also after other work has failed', async () => {
  const slots = new Slots(2, 100);
  await expect(slots.run(90, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  const works = new Works(slots);
  works.start(500);
  works.start(1);
  expect(works.running).toEqual([500]);
  await works.end(500);
  expect(works.running).toEqual([1]);
  works.start(501);
  expect(works.running).toEqual([1]);
  await works.end(1);
  expect(works.running).toEqual([501]);
});
