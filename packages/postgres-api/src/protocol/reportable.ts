import { type Logger, reportableError, TesseraError } from '@tessera/common';

/** Like `reportableError`, but does not treat a broken client connection as a defect. */
export function reportable(error: unknown, log: Logger): TesseraError {
  if (isConnectionFailure(error)) {
    return TesseraError.of('PROTOCOL_VIOLATION', { message: (error as Error).message }, { cause: error });
  }
  return reportableError(error, log);
}

/** Errors of sockets and TLS when a client disconnects or speaks another protocol. */
const isConnectionFailure = (error: unknown): boolean =>
  error instanceof Error &&
  !(error instanceof TesseraError) &&
  'code' in error &&
  /^(?:E(?:CONN|PIPE|TIMEDOUT)|ERR_(?:SSL|TLS|STREAM))/.test(String(error.code));
