import { EMPTY_NODE } from '../facts/empty-node.ts';
import { type PostgresType, postgresType } from '../facts/postgres-types.ts';
import type { SystemColumn, SystemType } from '../facts/system-relation.ts';
import {
  INFORMATION_SCHEMA_VIEWS,
  informationSchemaRelation,
} from '../information-schema/information-schema.ts';
import { CATALOG_TABLES } from './catalog-tables.ts';
import { CATALOG_VIEWS } from './catalog-views.ts';
import { INFORMATION_SCHEMA_OID, PG_CATALOG_OID } from './postgres-facts.ts';

/** The kernel's types for PostgreSQL types of columns in `pg_catalog`. All other types are text. */
const KERNEL_TYPES: Readonly<Record<string, SystemType>> = {
  bool: 'BOOLEAN',
  int2: 'SMALLINT',
  int4: 'INTEGER',
  int8: 'BIGINT',
  float4: 'FLOAT',
  float8: 'DOUBLE',
  numeric: 'DOUBLE',
  oid: 'UINTEGER',
  regproc: 'UINTEGER',
  regtype: 'UINTEGER',
  xid: 'BIGINT',
  timestamptz: 'TIMESTAMP WITH TIME ZONE',
  int2vector: 'SMALLINT[]',
  oidvector: 'UINTEGER[]',
  _int2: 'SMALLINT[]',
  _oid: 'UINTEGER[]',
  _regtype: 'UINTEGER[]',
  _text: 'VARCHAR[]',
  _name: 'VARCHAR[]',
  _aclitem: 'VARCHAR[]',
  _char: 'VARCHAR[]',
  _float4: 'DOUBLE[]',
  _float8: 'DOUBLE[]',
};

/** A column with PostgreSQL's name of its type. */
interface PostgresColumn extends SystemColumn {
  readonly postgresType: string;
}

/** Parses columns from `name:type name:type`. */
const postgresColumns = (text: string): readonly PostgresColumn[] =>
  text.split(' ').map((column) => {
    const [name = '', postgresType = 'text'] = column.split(':');
    return { name, postgresType, type: KERNEL_TYPES[postgresType] ?? 'VARCHAR' };
  });

/** A relation that every database has. */
export interface DescribedRelation {
  readonly oid: number;
  readonly name: string;
  readonly schemaOid: number;
  readonly kind: 'r' | 'v';
  readonly columns: readonly {
    readonly name: string;
    readonly type: PostgresType;
    readonly kernelType: SystemType;
  }[];
}

const COLUMNS = new Map<string, readonly PostgresColumn[]>(
  [...Object.entries(CATALOG_TABLES), ...Object.entries(CATALOG_VIEWS)].map(([name, [, columns]]) => [
    name,
    postgresColumns(columns),
  ]),
);

/** The columns of a relation of `pg_catalog`; undefined if no relation has the name. */
export const catalogColumns = (name: string): readonly PostgresColumn[] | undefined => COLUMNS.get(name);

const FIRST_VIEW_OID = 13_220;

const described = (
  kind: DescribedRelation['kind'],
  relations: typeof CATALOG_TABLES,
): readonly DescribedRelation[] =>
  Object.entries(relations).map(([name, [oid]]) => ({
    oid,
    name,
    schemaOid: PG_CATALOG_OID,
    kind,
    columns: catalogColumns(name)!.map((column) => ({
      name: column.name,
      type: postgresType(column.postgresType),
      kernelType: column.type,
    })),
  }));

const WIRE_TYPES: Readonly<Record<SystemColumn['type'], string>> = {
  VARCHAR: 'text',
  BIGINT: 'int8',
  INTEGER: 'int4',
  SMALLINT: 'int2',
  UINTEGER: 'oid',
  FLOAT: 'float4',
  DOUBLE: 'float8',
  BOOLEAN: 'bool',
  'TIMESTAMP WITH TIME ZONE': 'timestamptz',
  'VARCHAR[]': '_text',
  'BIGINT[]': '_int8',
  'INTEGER[]': '_int4',
  'SMALLINT[]': '_int2',
  'UINTEGER[]': '_oid',
  'FLOAT[]': '_float4',
  'DOUBLE[]': '_float8',
  'BOOLEAN[]': '_bool',
};

const informationSchema = (): readonly DescribedRelation[] =>
  INFORMATION_SCHEMA_VIEWS.map((name, index) => ({
    oid: FIRST_VIEW_OID + index,
    name,
    schemaOid: INFORMATION_SCHEMA_OID,
    kind: 'v',
    columns: informationSchemaRelation(name, EMPTY_NODE)!.columns.map((column) => ({
      name: column.name,
      type: postgresType(WIRE_TYPES[column.type]),
      kernelType: column.type,
    })),
  }));

let all: readonly DescribedRelation[] | undefined;

/** The relations of `pg_catalog` and `information_schema`, which are the same in every database. */
export function systemRelations(): readonly DescribedRelation[] {
  all ??= [...described('r', CATALOG_TABLES), ...described('v', CATALOG_VIEWS), ...informationSchema()];
  return all;
}
