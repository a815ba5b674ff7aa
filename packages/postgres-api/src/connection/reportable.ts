import { type Logger, reportableError, TesseraError } from '@tessera/common';

/** `reportableError`, for which a client that breaks its connection is no defect. */
export function reportable(error: unknown, log: Logger): TesseraError {
  if (isConnectionFailure(error)) {
    return TesseraError.of('PROTOCOL_VIOLATION', { message: (error as Error).message }, { cause: error });
  }
  return reportableError(error, log);
}

/** What sockets and TLS fail with when a client goes, or speaks something else. */
const isConnectionFailure = (error: unknown): boolean =>
  error instanceof Error &&
  !(error instanceof TesseraError) &&
  'code' in error &&
  /^(?:E(?:CONN|PIPE|TIMEDOUT)|ERR_(?:SSL|TLS|STREAM))/.test(String(error.code));
