import { TesseraError } from '@tessera/common';
import { quoteText } from '@tessera/kernel';
import { formatTypeName, type Statement } from '@tessera/sql';
import { describedView, showGrantsQuery, showQuery } from '@tessera/system-catalog';
import { queryInPlace } from '../changes/derived-query.ts';
import { type AsyncStatements, asyncStatusQuery } from '../queries/async-statements.ts';
import { requireSettingName, SETTING_NAMES, settingDescription } from '../request/settings.ts';
import type { StatementRequest } from '../request/statement-request.ts';
import type { StatementRun } from '../run/query-run.ts';
import { describeQuery } from '../run/query-run.ts';

/** A statement that is answered by a query. */
export type AnsweredStatement = Extract<
  Statement,
  { kind: 'show' | 'show_grants' | 'show_setting' | 'call' }
>;

export type CallStatement = Extract<Statement, { kind: 'call' }>;

/** The query that answers a statement; it changes nothing. */
export async function answeringQuery(
  statement: AnsweredStatement,
  run: StatementRun,
  asyncStatements: AsyncStatements,
): Promise<string> {
  switch (statement.kind) {
    case 'show':
    case 'show_grants':
      return shownQuery(statement, run);
    case 'show_setting':
      return settingsQuery(run.request, statement.name);
    case 'call':
      return calledQuery(statement, run, asyncStatements);
  }
}

async function shownQuery(
  statement: Extract<AnsweredStatement, { kind: 'show' | 'show_grants' }>,
  run: StatementRun,
): Promise<string> {
  if (statement.kind === 'show' && statement.query !== undefined) {
    return describedColumns(run, queryInPlace(statement.query, run.text).sql);
  }
  const { snapshot, release } = await run.snapshot();
  try {
    const { database, user } = run.sessionValues;
    if (statement.kind === 'show_grants') return showGrantsQuery(statement, snapshot, { database, user });
    const shown = showQuery(statement, snapshot, database);
    if (typeof shown === 'string') return shown;
    return await describedColumns(run, shown.sql);
  } finally {
    release();
  }
}

async function describedColumns(run: StatementRun, text: string): Promise<string> {
  const { columns } = await describeQuery({ ...run, text });
  return describedView(columns.map((column) => ({ name: column.name, type: formatTypeName(column) })));
}

/** Returns one setting by its name, or all of them. */
function settingsQuery({ settings }: StatementRequest, name: string | undefined): string {
  const row = (...texts: readonly string[]) => `(${texts.map(quoteText).join(', ')})`;
  if (name !== undefined) {
    const key = requireSettingName(name);
    return `SELECT * FROM (VALUES ${row(key, String(settings[key]))}) AS s(name, value)`;
  }
  const rows = SETTING_NAMES.map((key) => row(key, String(settings[key]), settingDescription(key)));
  return `SELECT * FROM (VALUES ${rows.join(', ')}) AS s(name, value, description)`;
}

/** The status of an asynchronous statement comes with the notices that the statement has produced so far. */
function calledQuery(
  statement: CallStatement,
  { query, request }: StatementRun,
  asyncStatements: AsyncStatements,
): string {
  if (isGarbageCollection(statement)) return collectedQuery({ tablets: 0, objects: 0 });
  if (statement.name.toLowerCase() !== 'fb_getasyncstatus') {
    throw TesseraError.of('NOT_SUPPORTED', { what: `CALL ${statement.name}` });
  }
  const [token = ''] = statement.arguments;
  const found = asyncStatements.get(token, request.user);
  for (const notice of found.query.notices.all) query.notices.add(notice);
  return asyncStatusQuery(found);
}

export const isGarbageCollection = ({ name }: CallStatement): boolean =>
  name.toLowerCase() === 'collect_garbage';

/** The result of CALL collect_garbage. */
export const collectedQuery = (report: { readonly tablets: number; readonly objects: number }): string =>
  `SELECT ${report.tablets}::BIGINT AS tablets, ${report.objects}::BIGINT AS objects`;
