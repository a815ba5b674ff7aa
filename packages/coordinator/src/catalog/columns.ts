import type { Column } from '@tessera/catalog';
import { fail, nearestName, type SqlLocation } from '@tessera/common';
import type { ColumnDefinition } from '@tessera/sql';
import type { ChangeContext } from '../changes/change.ts';
import { checkDefault } from '../objects/definition-check.ts';

/** The prefix of names that scans use internally. */
const RESERVED_PREFIX = '$';

/** As many as a SELECT list: the time to plan a statement grows with the columns of its tables. */
const MAX_COLUMNS = 4_096;

/** @throws TesseraError TOO_MANY_COLUMNS */
export function checkColumnCount(count: number, location?: SqlLocation): void {
  if (count > MAX_COLUMNS) fail('TOO_MANY_COLUMNS', { limit: MAX_COLUMNS }, { location });
}

/**
 * The columns of a new table.
 * @throws TesseraError TOO_MANY_COLUMNS, DUPLICATE_COLUMN, the error of an invalid default
 */
export async function newColumns(
  context: ChangeContext,
  definitions: readonly ColumnDefinition[],
): Promise<Column[]> {
  checkColumnCount(definitions.length);
  checkNames(definitions);
  const columns: Column[] = [];
  for (const definition of definitions) {
    const id = columns.length + 1;
    columns.push(
      await newColumn(context, definition, { id, storedName: storedName(definition.name, id), since: 0 }),
    );
  }
  return columns;
}

/**
 * Refuses names that differ only in case, because the kernel, and therefore a tablet, does not distinguish
 * them.
 */
export function checkNames(
  definitions: readonly { readonly name: string; readonly location?: SqlLocation | undefined }[],
): void {
  const seen = new Set<string>();
  for (const { name, location } of definitions) {
    if (name.startsWith(RESERVED_PREFIX)) {
      const message = `A column name cannot begin with "${RESERVED_PREFIX}" ("${name}")`;
      fail('INVALID_ARGUMENT', { message }, { location });
    }
    const key = name.toLowerCase();
    if (seen.has(key)) fail('DUPLICATE_COLUMN', { message: `Column "${name}" already exists` }, { location });
    seen.add(key);
  }
}

/** The stored name of a column that is created with its table. */
export const storedName = (name: string, id: number): string => (name.includes('#') ? `c#${id}` : name);

/**
 * The stored name of a column that is added later: the plain name may belong to a column that was dropped or
 * renamed.
 */
export const addedStoredName = (name: string, id: number): string =>
  name.includes('#') ? `c#${id}` : `${name}#${id}`;

export async function newColumn(
  context: ChangeContext,
  definition: ColumnDefinition,
  identity: Pick<Column, 'id' | 'storedName' | 'since'>,
): Promise<Column> {
  const { default: defaultText } = definition;
  const column: Column = {
    ...identity,
    name: definition.name,
    type: definition.kernelType,
    ...(definition.declared === undefined ? {} : { declared: definition.declared }),
    nullable: definition.nullable,
    ...(defaultText === undefined ? {} : { defaultSql: defaultText.sql }),
  };
  if (defaultText !== undefined) await checkDefault(context, column, defaultText);
  return column;
}

/** @throws TesseraError UNDEFINED_NAME */
export function columnNamed(
  columns: readonly Column[],
  name: string,
  location: SqlLocation | undefined,
): Column {
  const found = columns.find((column) => column.name === name);
  if (found !== undefined) return found;
  const nearest = nearestName(
    name,
    columns.map((column) => column.name),
  );
  const message = `Column "${name}" does not exist${nearest ? ` (did you mean ${nearest}?)` : ''}`;
  return fail('UNDEFINED_NAME', { message }, { location });
}
