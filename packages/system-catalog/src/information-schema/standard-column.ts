import type { Column } from '@tessera/catalog';
import type { SqlType } from '@tessera/sql';
import { type PostgresType, typedColumn } from '../facts/postgres-types.ts';
import { columnsOf, type SystemValue } from '../facts/system-relation.ts';

/**
 * The columns of the SQL standard's `columns` view that the engine has no facts for; most of them are always
 * NULL.
 */
export const STANDARD_COLUMNS = columnsOf(
  ['character_maximum_length', 'INTEGER'],
  ['character_octet_length', 'INTEGER'],
  'interval_type',
  ['interval_precision', 'INTEGER'],
  'character_set_catalog',
  'character_set_schema',
  'character_set_name',
  'collation_catalog',
  'collation_schema',
  'collation_name',
  'domain_catalog',
  'domain_schema',
  'domain_name',
  'udt_catalog',
  'udt_schema',
  'udt_name',
  'scope_catalog',
  'scope_schema',
  'scope_name',
  ['maximum_cardinality', 'INTEGER'],
  'dtd_identifier',
  'is_self_referencing',
  'is_identity',
  'identity_generation',
  'identity_start',
  'identity_increment',
  'identity_maximum',
  'identity_minimum',
  'identity_cycle',
  'is_generated',
  'generation_expression',
  'is_updatable',
);

export interface PlacedColumn {
  readonly type: SqlType;
  /** The type for PostgreSQL clients, if it does not follow from `type`. */
  readonly postgresType?: PostgresType | undefined;
  /** The position in its relation, from 1. */
  readonly place: number;
  readonly isUpdatable: boolean;
  readonly identity?: Column['identity'];
}

/** The values of STANDARD_COLUMNS for a column. */
export function standardColumn(
  database: string,
  { type, postgresType, place, isUpdatable, identity }: PlacedColumn,
): readonly SystemValue[] {
  const values: Readonly<Record<string, SystemValue>> = {
    character_maximum_length: type.kind === 'text' ? type.length : undefined,
    character_octet_length: octetLength(type),
    udt_catalog: database,
    udt_schema: 'pg_catalog',
    udt_name: (postgresType ?? typedColumn(type).type).name,
    dtd_identifier: String(place),
    is_self_referencing: 'NO',
    is_identity: identity === undefined ? 'NO' : 'YES',
    identity_generation: identity && (identity === 'always' ? 'ALWAYS' : 'BY DEFAULT'),
    identity_cycle: 'NO',
    is_generated: 'NEVER',
    is_updatable: isUpdatable ? 'YES' : 'NO',
  };
  return STANDARD_COLUMNS.map(({ name }) => values[name]);
}

const MAX_BYTES_OF_CHARACTER = 4;
/** The size of the largest text that PostgreSQL can store. */
const MAX_BYTES = 2 ** 30;

function octetLength(type: SqlType): number | undefined {
  if (type.kind !== 'text') return undefined;
  return type.length === undefined ? MAX_BYTES : type.length * MAX_BYTES_OF_CHARACTER;
}
