import type { TesseraError } from '@tessera/common';

/** A text that could not be read as a type. */
export interface FailedValue {
  readonly text: string;
  /** The column that it came from, where the kernel knows it. */
  readonly column?: string | undefined;
}

const values = new WeakMap<Error, FailedValue>();

/** The text that made a cast fail; undefined where the error is about something else. */
export const failedValueOf = (error: unknown): FailedValue | undefined =>
  error instanceof Error ? values.get(error) : undefined;

export function withFailedValue(error: TesseraError, value: FailedValue | undefined): TesseraError {
  if (value !== undefined) values.set(error, value);
  return error;
}

/** `error` with the text that `original`, which it tells in other words, is about. */
export const keepFailedValue = (error: TesseraError, original: TesseraError): TesseraError =>
  withFailedValue(error, values.get(original));
