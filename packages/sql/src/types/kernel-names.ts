import type { ScalarKind } from './sql-type.ts';

/** What the kernel calls the types of the dialect that have no parameters. */
export const KERNEL_NAMES = {
  int: 'INTEGER',
  long: 'BIGINT',
  float: 'FLOAT',
  double: 'DOUBLE',
  text: 'VARCHAR',
  boolean: 'BOOLEAN',
  date: 'DATE',
  timestamp: 'TIMESTAMP',
  timestamptz: 'TIMESTAMP WITH TIME ZONE',
  bytea: 'BLOB',
  geography: 'GEOMETRY',
  json: 'JSON',
} as const satisfies Readonly<Record<ScalarKind, string>>;
