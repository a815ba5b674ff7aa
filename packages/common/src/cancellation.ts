import { TesseraError } from './errors.ts';

/** What to throw once `signal` is aborted: its reason where that is an error of the table. */
export function cancellation(signal: AbortSignal): TesseraError {
  if (signal.reason instanceof TesseraError) return signal.reason;
  return TesseraError.of('QUERY_CANCELLED', { reason: 'the request ended' }, { cause: signal.reason });
}
