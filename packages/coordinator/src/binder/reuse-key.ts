import type { ObjectId, Snapshot } from '@tessera/catalog';
import type { StatementContext } from '../queries/statement-context.ts';
import type { BoundQuery } from '../read/bound-query.ts';
import type { Settings } from '../request/settings.ts';
import type { ResultSource, Reuse } from '../reuse/result-cache.ts';

/** Longer statements are rarely repeated and would fill the memory. */
const MAX_KEY_LENGTH = 65_536;

/** Settings that change neither the rows of a query nor how it is computed. */
const IRRELEVANT: ReadonlySet<keyof Settings> = new Set([
  'statement_timeout',
  'cancel_query_on_connection_drop',
  'enable_result_cache',
  'enable_subresult_cache',
  'subresult_min_rows',
  'query_label',
  'standard_conforming_strings',
  'enable_multi_query_requests',
  'multi_query_results',
  'unenforced_constraints',
  'traceparent',
]);

/**
 * Decides whether the result of a bound query may be returned to later queries. The key consists of everything that the
 * result depends on besides the contents of tables: the bound query, in which names, parameters and functions of the
 * session are already replaced by their meanings; the user; the settings; and the encoding. Privileges are not part of
 * it: they are checked for every statement when it is bound.
 * @param isLasting whether the bound query is valid for other statements, so that it names no file, external table or
 * relation of the system
 */
export function reuseOf(
  bound: BoundQuery,
  { request, sessionValues }: StatementContext,
  { isLasting, snapshot }: { readonly isLasting: boolean; readonly snapshot: Snapshot | undefined },
): Reuse {
  const { prepared, tables } = bound;
  if (tables.size === 0 || snapshot === undefined) return refused('it reads no table');
  if (prepared.time !== 'none') return refused('it reads the clock');
  if (!isLasting) return refused('it reads files, external tables, sequences or relations of the system');
  if (prepared.unstable !== undefined) {
    const name = prepared.unstable;
    return refused(`${name === 'TABLESAMPLE' ? name : `${name}()`} may return something else each time`);
  }
  const sources = sourcesOf(bound, snapshot);
  if (sources.some(({ version }) => version < 0)) return refused('its transaction has changed a table');
  const session = [...sessionOf({ request, sessionValues }), request.encoding];
  const columns = prepared.columns.map(({ name, type, nullable }) => [name, type, nullable]);
  const key = JSON.stringify([session, prepared.sql, prepared.parameters, columns], (_, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  );
  if (key.length > MAX_KEY_LENGTH) return refused('the statement is too long');
  return { key, sources };
}

/** The user, and everything of a session that the rows of a query depend on. */
export function sessionOf({
  request: { settings, user, userId, protocol },
  sessionValues: { database, engine },
}: Pick<StatementContext, 'request' | 'sessionValues'>): readonly unknown[] {
  const relevant = Object.entries(settings).filter(([name]) => !IRRELEVANT.has(name as keyof Settings));
  return [user, userId, protocol, database, engine, relevant];
}

/** The relations that the query names, and the partial rows that it reads in place of their rows. */
function sourcesOf({ named, tables }: BoundQuery, snapshot: Snapshot): readonly ResultSource[] {
  const sources = new Map<ObjectId, ResultSource>();
  for (const { table } of tables.values())
    sources.set(table.id, { id: table.id, object: undefined, version: snapshot.contentsVersion(table.id) });
  for (const { object } of named)
    sources.set(object.id, { id: object.id, object, version: snapshot.contentsVersion(object.id) });
  return [...sources.values()];
}

const refused = (refusal: string): Reuse => ({ refusal });
