import type { TesseraError } from '@tessera/common';

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

/** Marks `error`, a reworded `original`, with the text that `original` is about. */
export const keepFailedValue = (error: TesseraError, original: TesseraError): TesseraError =>
  withFailedValue(error, values.get(original));
