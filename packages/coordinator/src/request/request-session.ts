import { asTransactionId } from '@tessera/common';
import { DEFAULT_SETTINGS, isSettingName, withSettings } from './settings.ts';
import type { StatementRequest } from './statement-request.ts';
import type { SessionUpdate } from './statement-result.ts';

/** The database of requests that name none. */
export const DEFAULT_DATABASE = 'tessera';

/**
 * Applies the effect of a `SET`, `RESET`, `USE` or `BEGIN` to the following statements of the same request.
 */
export function remember(request: StatementRequest, update: SessionUpdate): StatementRequest {
  const { name } = update;
  const value = update.kind === 'set' ? update.value : undefined;
  if (name === 'database') return { ...request, database: value };
  if (name === 'transaction_id')
    return { ...request, transactionId: value === undefined ? undefined : asTransactionId(value) };
  if (!isSettingName(name)) return request;
  const setting = value ?? String(DEFAULT_SETTINGS[name]);
  return { ...request, settings: withSettings(request.settings, [[name, setting]]) };
}

/**
 * Folds a database name in a request as in statements: the default database is meant in any case of letters.
 */
export const databaseOf = (name: string | undefined): string =>
  name === undefined || name.toLowerCase() === DEFAULT_DATABASE ? DEFAULT_DATABASE : name;
