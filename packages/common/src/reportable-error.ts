import { randomUUID } from 'node:crypto';
import { TesseraError } from './errors.ts';
import type { Logger } from './logging/index.ts';

/**
 * Turns a thrown value into an error for the client. A defect is logged under an incident id, and the client sees only
 * that id.
 */
export function reportableError(error: unknown, log: Logger): TesseraError {
  if (error instanceof TesseraError && error.name !== 'INTERNAL') return error;
  const incident = randomUUID();
  log.error({ err: error, incident }, 'internal error');
  return TesseraError.of('INTERNAL', { incident }, { cause: error });
}
