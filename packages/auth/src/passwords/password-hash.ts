import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { TesseraError } from '@tessera/common';

const derive = promisify<'argon2id', Argon2Parameters, Buffer>(argon2);

/**
 * The maximum number of concurrent runs. Each takes memory, and one of the four threads that file reads use
 * too.
 */
const AT_ONCE = 2;
/** The maximum number of waiting checks, which is some seconds of work. */
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
 * Runs argon2id on the thread pool, a few at a time in the order of the calls, to check passwords that clients
 * send.
 * @throws TesseraError TOO_MANY_LOGINS if too many runs already wait
 */
async function argon2idOfShown(parameters: Argon2Parameters): Promise<Buffer> {
  if (waiting.length >= MAX_WAITING) throw TesseraError.of('TOO_MANY_LOGINS', {});
  return argon2id(parameters);
}

/** Like `argon2idOfShown`, but is never refused: passwords can be set even while others are being guessed. */
async function argon2id(parameters: Argon2Parameters): Promise<Buffer> {
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

interface PasswordHash {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

/** The first of OWASP's recommended settings for argon2id: 19 MiB, two passes, one lane. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** Returns the argon2id hash as a PHC string. */
export async function hashPassword(prepared: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await argon2id({ ...COST, message: prepared, nonce: salt, tagLength: HASH_BYTES });
  return phcString({ ...COST, salt, hash });
}

/** Whether the hash was made from this password. The hash contains its cost parameters. */
export async function matchesHash(prepared: string, phc: string): Promise<boolean> {
  const { salt, hash, ...cost } = parsePhc(phc);
  const found = await argon2idOfShown({ ...cost, message: prepared, nonce: salt, tagLength: hash.length });
  return timingSafeEqual(found, hash);
}

/** A hash that no password matches, with the usual cost. Names without a password are checked against it. */
export const NO_PASSWORD = phcString({
  ...COST,
  salt: Buffer.alloc(SALT_BYTES),
  hash: randomBytes(HASH_BYTES),
});

function phcString({ memory, passes, parallelism, salt, hash }: PasswordHash): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(hash)}`;
}

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

function parsePhc(phc: string): PasswordHash {
  const [, memory, passes, parallelism, salt, hash] = PHC.exec(phc) ?? [];
  if (salt === undefined || hash === undefined)
    throw new Error('The catalog holds a malformed password hash');
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  };
}

/** PHC strings omit the padding. */
function base64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
