import { TesseraError } from './errors.ts';

/** The error to throw once `signal` is aborted: its reason, if that is an error of the table. */
export function cancellation(signal: AbortSignal): TesseraError {
  if (signal.reason instanceof TesseraError) return signal.reason;
  return TesseraError.of('QUERY_CANCELLED', { reason: 'the request ended' }, { cause: signal.reason });
}
