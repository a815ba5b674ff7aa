import type { ScalarKind } from './sql-type.ts';

/** The kernel's names of the dialect's types without parameters. */
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
