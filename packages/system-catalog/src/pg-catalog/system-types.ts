import type { SystemColumn, SystemType } from '../facts/system-relation.ts';

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
export interface PostgresColumn extends SystemColumn {
  readonly postgresType: string;
}

/** Parses columns from `name:type name:type`. */
export const postgresColumns = (text: string): readonly PostgresColumn[] =>
  text.split(' ').map((column) => {
    const [name = '', postgresType = 'text'] = column.split(':');
    return { name, postgresType, type: KERNEL_TYPES[postgresType] ?? 'VARCHAR' };
  });
