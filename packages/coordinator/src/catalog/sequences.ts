import { requirePrincipal } from '@tessera/access-control';
import {
  type Action,
  type Column,
  DEFAULT_SCHEMA,
  NO_CHANGE,
  newObject,
  type Place,
  placeOf,
  requireRelation,
  requireSequence,
  type SchemaObject,
  type SequenceObject,
  type Snapshot,
  type TableObject,
} from '@tessera/catalog';
import { fail, newUlid } from '@tessera/common';
import {
  type AlterSequenceStatement,
  type ColumnDefinition,
  type CreateSequenceStatement,
  type ObjectName,
  quoteIdentifier,
  type SequenceOptions,
} from '@tessera/sql';
import type { Change, ChangeContext } from '../changes/change.ts';
import { placeForTable } from './temporary-place.ts';

type Counting = Pick<
  SequenceObject,
  'type' | 'start' | 'increment' | 'min' | 'max' | 'cycle' | 'cache' | 'next' | 'generation'
>;

const LIMITS = {
  INTEGER: { min: -(2n ** 31n), max: 2n ** 31n - 1n },
  BIGINT: { min: -(2n ** 63n), max: 2n ** 63n - 1n },
} as const;

const LARGEST_CACHE = 1_000_000n;

export function createSequence(
  context: ChangeContext,
  snapshot: Snapshot,
  { name, ifNotExists, options, isTemporary }: CreateSequenceStatement,
): Change {
  const { place, opened } = placeForTable(context, snapshot, {
    name,
    ...(isTemporary && { temporary: true }),
  });
  if (isNameTaken(snapshot, place)) {
    if (ifNotExists) return NO_CHANGE;
    fail('DUPLICATE_OBJECT', { what: 'Relation', name: place.name }, { location: place.location });
  }
  const owner = options.ownedBy ? ownedBy(context, snapshot, options.ownedBy) : undefined;
  const object = newSequence(context, place, options);
  return {
    actions: [
      ...opened,
      { kind: 'create', object: owner === undefined ? object : { ...object, ownedBy: owner } },
    ],
  };
}

const isNameTaken = (snapshot: Snapshot, { schema, name }: Pick<Place, 'schema' | 'name'>): boolean =>
  snapshot.relation(schema.id, name) !== undefined || snapshot.sequence(schema.id, name) !== undefined;

const newSequence = (
  context: ChangeContext,
  place: Pick<Place, 'schema' | 'name'>,
  options: SequenceOptions,
): SequenceObject => ({
  kind: 'sequence',
  ...newObject(context, place.name),
  schemaId: place.schema.id,
  ...countingOf(options),
});

/** @throws TesseraError INVALID_ARGUMENT for contradictory numbers */
function countingOf(options: SequenceOptions, before?: SequenceObject): Counting {
  const refuse = (message: string): never => fail('INVALID_ARGUMENT', { message });
  const type = options.type ?? before?.type ?? 'BIGINT';
  const increment = options.increment ?? (before === undefined ? 1n : BigInt(before.increment));
  if (increment === 0n) refuse('INCREMENT must not be zero');
  const isUp = increment > 0n;
  const limits = LIMITS[type];
  const least = isUp ? 1n : limits.min;
  const most = isUp ? limits.max : -1n;
  const kept = (value: string | undefined, otherwise: bigint) =>
    value === undefined || options.type !== undefined ? otherwise : BigInt(value);
  const min = options.min === undefined ? kept(before?.min, least) : (options.min ?? least);
  const max = options.max === undefined ? kept(before?.max, most) : (options.max ?? most);
  if (min >= max) refuse(`MINVALUE (${min}) must be less than MAXVALUE (${max})`);
  if (min < limits.min || max > limits.max)
    refuse(`MINVALUE (${min}) and MAXVALUE (${max}) must be values of ${type}`);
  const start = options.start ?? (before === undefined ? (isUp ? min : max) : BigInt(before.start));
  const restart = options.restart === undefined ? undefined : (options.restart ?? start);
  const next = restart ?? (before === undefined ? start : BigInt(before.next));
  for (const [what, value] of [
    ['START', start],
    ['RESTART', restart ?? start],
  ] as const) {
    if (value < min || value > max) refuse(`${what} (${value}) must be between ${min} and ${max}`);
  }
  const cache = options.cache ?? (before === undefined ? 1n : BigInt(before.cache));
  if (cache < 1n || cache > LARGEST_CACHE) refuse(`CACHE (${cache}) must be between 1 and ${LARGEST_CACHE}`);
  return {
    type,
    start: String(start),
    increment: String(increment),
    min: String(min),
    max: String(max),
    cycle: options.cycle ?? before?.cycle ?? false,
    cache: Number(cache),
    next: String(next),
    generation: newUlid(),
  };
}

export function alterSequence(
  context: ChangeContext,
  snapshot: Snapshot,
  { name, ifExists, change }: AlterSequenceStatement,
): Change {
  const place = placeOf(snapshot, name, context.database);
  if (ifExists && snapshot.sequence(place.schema.id, place.name) === undefined) return NO_CHANGE;
  const sequence = { ...requireSequence(snapshot, place), alteredAt: new Date().toISOString() };
  const altered = (object: SequenceObject): Change => ({ actions: [{ kind: 'alter', object }] });
  switch (change.kind) {
    case 'owner':
      return altered({ ...sequence, owner: requirePrincipal(snapshot, { name: change.to }, context).name });
    case 'rename': {
      refuseUsed(snapshot, sequence, 'renamed');
      if (isNameTaken(snapshot, { ...place, name: change.to }))
        fail('DUPLICATE_OBJECT', { what: 'Relation', name: change.to });
      return altered({ ...sequence, name: change.to });
    }
    case 'options': {
      const { ownedBy: owner, ...options } = change.options;
      const { ownedBy: before, ...rest } = sequence;
      const owned =
        owner === undefined ? before : owner === null ? undefined : ownedBy(context, snapshot, owner);
      const counting = Object.keys(options).length === 0 ? {} : countingOf(options, sequence);
      return altered({ ...rest, ...counting, ...(owned === undefined ? {} : { ownedBy: owned }) });
    }
  }
}

/** @throws TesseraError DEPENDENT_OBJECTS without CASCADE, if the default of a column uses it */
export function dropSequence(
  snapshot: Snapshot,
  place: Place,
  { ifExists, cascade }: { readonly ifExists: boolean; readonly cascade: boolean },
): Change {
  if (ifExists && snapshot.sequence(place.schema.id, place.name) === undefined) return NO_CHANGE;
  const sequence = requireSequence(snapshot, place);
  if (!cascade) refuseUsed(snapshot, sequence, 'dropped');
  const actions: Action[] = usersOf(snapshot, sequence).map((table) => ({
    kind: 'alter',
    object: { ...table, columns: table.columns.map((column) => withoutDefault(snapshot, column, sequence)) },
  }));
  return { actions: [...actions, { kind: 'drop', id: sequence.id }] };
}

function withoutDefault(snapshot: Snapshot, column: Column, sequence: SequenceObject): Column {
  if (!counts(snapshot, column, sequence)) return column;
  const { defaultSql: _, identity: __, ...rest } = column;
  return rest;
}

function refuseUsed(snapshot: Snapshot, sequence: SequenceObject, what: string): void {
  const [table] = usersOf(snapshot, sequence);
  if (table === undefined) return;
  const column = table.columns.find((one) => counts(snapshot, one, sequence))!.name;
  const message = `Sequence "${sequence.name}" cannot be ${what}: it is the default of column "${column}" of table "${table.name}"`;
  fail('DEPENDENT_OBJECTS', { message });
}

/** The tables of the database with a column whose default uses the sequence. */
function usersOf(snapshot: Snapshot, sequence: SequenceObject): readonly TableObject[] {
  const schema = snapshot.object(sequence.schemaId);
  if (schema?.kind !== 'schema') return [];
  return snapshot
    .schemas(schema.databaseId)
    .flatMap(({ id }) => snapshot.relations(id))
    .filter((relation) => relation.kind === 'table')
    .filter(({ columns }) => columns.some((column) => counts(snapshot, column, sequence)));
}

const NEXTVAL = /nextval\s*\(\s*'((?:[^']|'')*)'/gi;

/** Whether an expression takes values from any sequence. */
export const takesSequence = (sql: string): boolean => /\bnextval\s*\(/i.test(sql);

/** Whether the default of a column takes values from the sequence. */
function counts(
  snapshot: Snapshot,
  { defaultSql = '' }: Column,
  { schemaId, name }: SequenceObject,
): boolean {
  const schema = snapshot.object(schemaId)?.name ?? '';
  const names = new Set([name, `${schema}.${name}`, sequenceName(schema, name)]);
  return [...defaultSql.matchAll(NEXTVAL)].some(([, text = '']) => {
    const called = text.replaceAll("''", "'").replaceAll('"', '');
    const isShort = !called.includes('.');
    return isShort ? called === name && schema === DEFAULT_SCHEMA : names.has(called);
  });
}

const sequenceName = (schema: string, name: string): string =>
  `${quoteIdentifier(schema)}.${quoteIdentifier(name)}`;

function ownedBy(
  context: ChangeContext,
  snapshot: Snapshot,
  { parts, location }: ObjectName,
): NonNullable<SequenceObject['ownedBy']> {
  const [column = '', ...table] = [...parts].reverse();
  if (table.length === 0)
    fail('SYNTAX_ERROR', { message: 'OWNED BY takes table.column or NONE' }, { location });
  const place = placeOf(snapshot, { parts: table.reverse(), location }, context.database);
  const relation = requireRelation(snapshot, place);
  const found = relation.kind === 'table' ? relation.columns.find(({ name }) => name === column) : undefined;
  if (found !== undefined) return { tableId: relation.id, columnId: found.id };
  return fail('UNDEFINED_NAME', { message: `Column "${column}" does not exist` }, { location });
}

/** The identity columns of a table with their defaults, and the sequences that they own. */
export function withSequences(
  context: ChangeContext,
  snapshot: Snapshot,
  table: TableObject,
  definitions: readonly ColumnDefinition[],
): { readonly table: TableObject; readonly sequences: readonly SequenceObject[] } {
  const sequences: SequenceObject[] = [];
  const schema = snapshot.object(table.schemaId) as SchemaObject;
  const columns = table.columns.map((column): Column => {
    const identity = definitions.find(({ name }) => name === column.name)?.identity;
    if (identity === undefined) return column;
    const taken = new Set(sequences.map(({ name }) => name));
    const name = freeName(snapshot, schema, `${table.name}_${column.name}_seq`, taken);
    const type = column.type === 'INTEGER' ? 'INTEGER' : 'BIGINT';
    const sequence = newSequence(context, { schema, name }, { type, ...identity.options });
    sequences.push({ ...sequence, ownedBy: { tableId: table.id, columnId: column.id } });
    const text = sequenceName(schema.name, name).replaceAll("'", "''");
    const counted = { ...column, defaultSql: `nextval('${text}')` };
    return identity.kind === 'serial' ? counted : { ...counted, identity: identity.kind };
  });
  return { table: { ...table, columns }, sequences };
}

function freeName(
  snapshot: Snapshot,
  schema: SchemaObject,
  wanted: string,
  taken: ReadonlySet<string>,
): string {
  for (let i = 0; ; i += 1) {
    const name = i === 0 ? wanted : `${wanted}${i}`;
    if (!taken.has(name) && !isNameTaken(snapshot, { schema, name })) return name;
  }
}
