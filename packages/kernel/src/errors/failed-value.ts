import type { TesseraError } from '@tessera/common';

const failures = new WeakSet<Error>();

/**
 * Whether the call that failed had the kernel process for itself: from its session's beginning to its failure, no other
 * session was open, and no quarantine process had a part of the memory. Then it would run out of memory again in
 * quarantine, where there is no more of it.
 */
export const ranAlone = (error: unknown): boolean => error instanceof Error && failures.has(error);

export function markedAsAlone(error: TesseraError): TesseraError {
  failures.add(error);
  return error;
}

const refusals = new WeakSet<Error>();

/** Whether a session in quarantine was refused because other queries hold the memory for it, so nothing has run. */
export const hasNotStarted = (error: unknown): boolean => error instanceof Error && refusals.has(error);

export function markedAsNotStarted(error: TesseraError): TesseraError {
  refusals.add(error);
  return error;
}

/**
 * Makes a cast of a text that ends with it fail, for texts that the kernel would read and the dialect refuses. Error messages
 * show the text without it. It is a character for private use.
 */
export const REFUSED_END = '\u{e000}';
/** The same for a date or time with a field that does not exist: the error says that it is out of range. */
export const REFUSED_RANGE = '\u{e001}';

/** A text that could not be parsed as a type. */
export interface FailedValue {
  readonly text: string;
  /** The column that it came from, if the kernel knows it. */
  readonly column?: string | undefined;
}

const values = new WeakMap<Error, FailedValue>();

/** The text that made a cast fail; undefined for other errors. */
export const failedValueOf = (error: unknown): FailedValue | undefined =>
  error instanceof Error ? values.get(error) : undefined;

export function withFailedValue(error: TesseraError, value: FailedValue | undefined): TesseraError {
  if (value !== undefined) values.set(error, value);
  return error;
}

/** Returns `error`, which says the same as `original` in other words, with what is known about `original` in addition to its message. */
export function keepDetails(error: TesseraError, original: TesseraError): TesseraError {
  if (ranAlone(original)) markedAsAlone(error);
  if (hasNotStarted(original)) markedAsNotStarted(error);
  return withFailedValue(error, values.get(original));
}
