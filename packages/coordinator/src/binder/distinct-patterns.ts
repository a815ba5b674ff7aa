import type { Snapshot } from '@tessera/catalog';
import { quoteName } from '@tessera/kernel';
import type { StatementContext } from '../queries/statement-context.ts';
import type { ExecutableQuery } from '../read/executable-query.ts';
import type { PatternSource } from '../read/statement-relations.ts';

/** Queries of fewer rows end before it matters how often a pattern is compiled. */
const MIN_ROWS = 20_000;
/** To plan a query with one more literal pattern takes about as long as to compile a pattern for some twenty rows; this leaves a gain. */
const ROWS_PER_PATTERN = 100;
/** The patterns are the most frequent ones of this many rows, so that they cost little to find in a large table. */
const SAMPLED_ROWS = 1_000_000;
/** In characters. Longer patterns stay variable. */
const MAX_PATTERN_LENGTH = 1_000;
/** The length of all patterns of a column together. */
const MAX_TEXT_LENGTH = 1 << 20;

/**
 * The values of a column that a query should have as literal patterns, the most frequent ones if there are more than `maxKeys`.
 * They are read with the privileges of the user, or of the owner of the view that names the table.
 */
export async function distinctPatterns(
  { table, column, rows, owner }: PatternSource,
  snapshot: Snapshot,
  {
    context,
    maxKeys,
    executable,
  }: {
    readonly context: StatementContext;
    readonly maxKeys: number;
    executable(context: StatementContext): Promise<ExecutableQuery>;
  },
): Promise<readonly string[]> {
  const limit = Math.min(maxKeys, Math.floor(rows / ROWS_PER_PATTERN));
  if (rows < MIN_ROWS || limit === 0) return [];
  const { sessionValues, request } = context;
  const query = await executable({
    ...context,
    request: { ...request, parameters: [] },
    text: `SELECT p FROM (SELECT ${quoteName(column)} AS p FROM ${qualifiedName(snapshot, table)} LIMIT ${SAMPLED_ROWS}) AS r
      WHERE length(p) <= ${MAX_PATTERN_LENGTH} GROUP BY p ORDER BY count(*) DESC, p LIMIT ${limit}`,
    sessionValues: { ...sessionValues, user: owner ?? sessionValues.user },
    snapshot: async () => ({ snapshot, release: () => undefined }),
  });
  try {
    const found = await query.session.scalar(VALID_PATTERNS(query.sql));
    return withinLength(JSON.parse(String(found ?? '[]')) as readonly string[]);
  } catch (error) {
    throw query.explain(error);
  } finally {
    await query.release();
  }
}

/** An invalid literal fails when the query is planned; an invalid value of the column only fails if its row is evaluated. */
const VALID_PATTERNS = (sql: string): string =>
  `SELECT CAST(to_json(list(p)) AS VARCHAR) FROM (${sql}) AS r(p) WHERE TRY(regexp_matches('', p)) IS NOT NULL`;

function withinLength(patterns: readonly string[]): readonly string[] {
  let length = 0;
  return patterns.filter((pattern) => {
    length += pattern.length;
    return length <= MAX_TEXT_LENGTH && !pattern.includes('\0');
  });
}

function qualifiedName(snapshot: Snapshot, { schemaId, name }: PatternSource['table']): string {
  const schema = snapshot.object(schemaId);
  const database = schema?.kind === 'schema' ? snapshot.object(schema.databaseId) : undefined;
  if (schema?.kind !== 'schema' || database?.kind !== 'database') throw new Error(`${name} is in no schema`);
  return [database.name, schema.name, name].map(quoteName).join('.');
}
