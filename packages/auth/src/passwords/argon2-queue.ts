import { type Argon2Parameters, argon2 } from 'node:crypto';
import { promisify } from 'node:util';
import { TesseraError } from '@tessera/common';

const derive = promisify<'argon2id', Argon2Parameters, Buffer>(argon2);

/** Runs at once: each takes a thread of the four that file reads share with them, and its memory. */
const AT_ONCE = 2;
/** Checks that wait, some seconds of work. */
const MAX_WAITING = 128;

let running = 0;
const waiting: (() => void)[] = [];
let runs = 0;

/**
 * The number of runs in this process. Tests count runs, instead of measuring time, to prove that known and unknown
 * users cost the same.
 */
export const argon2Runs = (): number => runs;

/**
 * Argon2id on the thread pool, few at once, in the order of the calls; for checking what somebody shows.
 * @throws TesseraError TOO_MANY_LOGINS when too many wait already
 */
export async function argon2idOfShown(parameters: Argon2Parameters): Promise<Buffer> {
  if (waiting.length >= MAX_WAITING) throw TesseraError.of('TOO_MANY_LOGINS', {});
  return argon2id(parameters);
}

/** The same, never refused: for setting a password, also while others are being guessed. */
export async function argon2id(parameters: Argon2Parameters): Promise<Buffer> {
  if (running < AT_ONCE) running++;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    runs++;
    return await derive('argon2id', parameters);
  } finally {
    // The slot passes to the next one in the queue, so `running` does not change.
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}
