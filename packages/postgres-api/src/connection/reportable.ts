import { randomUUID } from 'node:crypto';
import { type Logger, TesseraError } from '@tessera/common';

/** What was thrown, as an error for the client; a defect is logged under an incident id and told by it alone. */
export function reportable(error: unknown, log: Logger): TesseraError {
  if (error instanceof TesseraError && error.name !== 'INTERNAL') return error;
  if (isConnectionFailure(error)) {
    return TesseraError.of('PROTOCOL_VIOLATION', { message: (error as Error).message }, { cause: error });
  }
  const incident = randomUUID();
  log.error({ err: error, incident }, 'internal error');
  return TesseraError.of('INTERNAL', { incident }, { cause: error });
}

/** What sockets and TLS fail with when a client goes, or speaks something else. */
const isConnectionFailure = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  /^(?:E(?:CONN|PIPE|TIMEDOUT)|ERR_(?:SSL|TLS|STREAM))/.test(String(error.code));
