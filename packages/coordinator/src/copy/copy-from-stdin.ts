import { createReadStream } from 'node:fs';
import { type Column, requireTable, type Snapshot, type TableObject } from '@tessera/catalog';
import { fail, TesseraError } from '@tessera/common';
import { failedValueOf, type KernelSession, quoteName } from '@tessera/kernel';
import { type CopiedTexts, copyBatches, copySchema } from '@tessera/readers';
import {
  type ArrayText,
  type CopyFromStdinStatement,
  columnType,
  constraintViolation,
  jsonbText,
  parseArrayText,
  postgresInput,
} from '@tessera/sql';
import type { Change, ChangeContext } from '../changes/change.ts';
import { storeRows } from '../changes/store-rows.ts';
import { sessionOptions } from '../objects/session-options.ts';
import { retryInQuarantine } from '../queries/retry-in-quarantine.ts';
import { explainFailure } from '../read/query-failure.ts';
import type { CopyInput } from '../request/statement-request.ts';
import { type CopiedColumn, checkMapping, fallbackOf, storedValue } from './copy-columns.ts';

/**
 * The temp table with the texts of the cells, one column each, by the stored names of the table's columns.
 */
const INPUT = 'copy_input';
const CHUNK_BYTES = 1 << 20;

/** `COPY t FROM STDIN`: stores all rows that the client sent, or none. */
export async function copyFromStdin(
  asked: ChangeContext,
  snapshot: Snapshot,
  statement: CopyFromStdinStatement,
): Promise<Change> {
  const table = requireTable(snapshot, statement.table, asked.database);
  const given = givenColumns(table, statement);
  const { kernel, query, request } = asked.run;
  const input = request.copyInput ?? fail('NOT_SUPPORTED', NOWHERE);
  return retryInQuarantine(query, async (quarantine) => {
    const { signal } = query;
    const session = await kernel.session({ ...sessionOptions(request.settings), quarantine, signal });
    const sequences = asked.run.binder.sequences(asked.run, session, snapshot);
    const context = { ...asked, sequences };
    try {
      await loadTexts(session, table, given, input, signal);
      const items: string[] = [];
      for (const column of table.columns) {
        items.push(storedValue(await copiedColumn(context, session, column, given), table));
      }
      const sql = `SELECT ${items.join(', ')} FROM ${INPUT}`;
      const stored = await storeRows(context, { session, table, sql, signal });
      return { actions: stored.actions, affectedRows: stored.rows };
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const translated = constraintViolation(error) ?? withColumn(error, table);
      throw explainFailure(translated, { files: [], isLastAttempt: quarantine });
    } finally {
      await sequences?.end();
      await session.close();
    }
  });
}

/** Adds the user's name of the column to an error about an invalid text. */
function withColumn(error: unknown, { name, columns }: TableObject): unknown {
  const stored = failedValueOf(error)?.column;
  const column = columns.find(({ storedName }) => storedName === stored);
  if (!(error instanceof TesseraError) || column === undefined) return error;
  return error.with({ message: `COPY ${name}, column ${column.name}: ${error.message}` });
}

const NOWHERE = { what: 'COPY FROM STDIN here', hint: 'send it to the PostgreSQL endpoint' };

function givenColumns(table: TableObject, { columns }: CopyFromStdinStatement): readonly Column[] {
  if (columns === undefined) return table.columns;
  checkMapping(table, columns);
  return columns.map(({ name }) => table.columns.find((column) => column.name === name)!);
}

async function loadTexts(
  session: KernelSession,
  table: TableObject,
  columns: readonly Column[],
  { path, format }: CopyInput,
  signal: AbortSignal,
): Promise<void> {
  const texts: CopiedTexts = {
    label: `COPY ${table.name}`,
    columns: columns.map(({ name }) => name),
    format,
    convert: new Map(
      columns.flatMap((column): [string, (text: string) => string][] => {
        if (column.declared === 'jsonb') return [[column.name, jsonbText]];
        return isArray(column) ? [[column.name, arrayJson]] : [];
      }),
    ),
  };
  const source = createReadStream(path, { highWaterMark: CHUNK_BYTES, signal });
  const schema = copySchema(columns.map(({ storedName }) => storedName));
  await session.append(INPUT, schema, copyBatches(source, texts));
}

const isArray = ({ type }: Column): boolean => columnType(type).kind === 'array';

/** An array in the form that `postgresInput` expects. */
const arrayJson = (text: string): string => JSON.stringify(parseArrayText(text) satisfies ArrayText);

/**
 * The value of a column: NULLs that the client sent stay NULL; columns that it does not send take their
 * default.
 */
async function copiedColumn(
  context: ChangeContext,
  session: KernelSession,
  column: Column,
  given: readonly Column[],
): Promise<CopiedColumn> {
  if (!given.includes(column)) {
    return { column, cell: undefined, fallback: await fallbackOf(context, session, column, undefined) };
  }
  const cell = postgresInput(columnType(column.type), quoteName(column.storedName));
  return { column, cell, fallback: 'NULL' };
}
