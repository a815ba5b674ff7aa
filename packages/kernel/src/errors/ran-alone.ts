import type { TesseraError } from '@tessera/common';

const failures = new WeakSet<Error>();

/**
 * Whether the call that failed had the kernel process for itself: no other session was open from its session's beginning to its
 * failure. Then it would run out of memory again in quarantine, where there is no more of it.
 */
export const ranAlone = (error: unknown): boolean => error instanceof Error && failures.has(error);

export function markedAsAlone(error: TesseraError): TesseraError {
  failures.add(error);
  return error;
}
