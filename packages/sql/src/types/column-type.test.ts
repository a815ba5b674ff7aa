import { describe, expect, test } from 'vitest';
import { columnType, dialectTypeName, kernelTypeSql } from './column-type.ts';

/** A type as users write it, its kernel type, and its name in the dialect. */
const TYPES: readonly (readonly [written: string, kernel: string, dialect: string])[] = [
  ['int', 'INTEGER', 'integer'],
  ['INTEGER', 'INTEGER', 'integer'],
  ['smallint', 'INTEGER', 'integer'],
  ['BIGINT', 'BIGINT', 'bigint'],
  ['long', 'BIGINT', 'bigint'],
  ['int8', 'BIGINT', 'bigint'],
  ['real', 'FLOAT', 'real'],
  ['FLOAT', 'FLOAT', 'real'],
  ['float(24)', 'FLOAT', 'real'],
  ['float(25)', 'DOUBLE', 'double precision'],
  ['double', 'DOUBLE', 'double precision'],
  ['Double Precision', 'DOUBLE', 'double precision'],
  ['float8', 'DOUBLE', 'double precision'],
  ['numeric', 'DECIMAL(38,9)', 'numeric(38, 9)'],
  ['DECIMAL(5)', 'DECIMAL(5,0)', 'numeric(5, 0)'],
  ['numeric (38, 38)', 'DECIMAL(38,38)', 'numeric(38, 38)'],
  ['text', 'VARCHAR', 'text'],
  ['STRING', 'VARCHAR', 'text'],
  ['varchar(25)', 'VARCHAR', 'text'],
  ['char(1)', 'VARCHAR', 'text'],
  ['character varying(3)', 'VARCHAR', 'text'],
  ['bytea', 'BLOB', 'bytea'],
  ['boolean', 'BOOLEAN', 'boolean'],
  ['date', 'DATE', 'date'],
  ['timestamp', 'TIMESTAMP', 'timestamp'],
  ['timestamp(6) without time zone', 'TIMESTAMP', 'timestamp'],
  ['timestamptz', 'TIMESTAMP WITH TIME ZONE', 'timestamptz'],
  ['timestamp with time zone', 'TIMESTAMP WITH TIME ZONE', 'timestamptz'],
  ['json', 'JSON', 'json'],
  ['array(int)', 'INTEGER[]', 'array(integer)'],
  ['ARRAY(ARRAY(text NULL) NOT NULL)', 'VARCHAR[][]', 'array(array(text))'],
  ['int[]', 'INTEGER[]', 'array(integer)'],
  ['int[3][]', 'INTEGER[][]', 'array(array(integer))'],
  ['int array', 'INTEGER[]', 'array(integer)'],
  ['struct(a int, "B c" text NULL)', 'STRUCT("a" INTEGER, "B c" VARCHAR)', 'struct(a integer, "B c" text)'],
  [
    'struct(s struct(x numeric(3,1)), l date[])[]',
    'STRUCT("s" STRUCT("x" DECIMAL(3,1)), "l" DATE[])[]',
    'array(struct(s struct(x numeric(3, 1)), l array(date)))',
  ],
];

describe('types of columns', () => {
  test.for(TYPES)('%s', ([written, kernel, dialect]) => {
    const type = columnType(written);
    expect(kernelTypeSql(type)).toBe(kernel);
    expect(dialectTypeName(type)).toBe(dialect);
  });

  test.for(TYPES)('%s: both names are read back as the same type', ([written]) => {
    const type = columnType(written);
    expect(columnType(kernelTypeSql(type))).toEqual(type);
    expect(columnType(dialectTypeName(type))).toEqual(type);
  });

  const WRONG = [
    ['', 'SYNTAX_ERROR'],
    ['"int"', 'SYNTAX_ERROR'],
    ['int int', 'SYNTAX_ERROR'],
    ['array(int', 'SYNTAX_ERROR'],
    ['array int', 'SYNTAX_ERROR'],
    ['struct()', 'SYNTAX_ERROR'],
    ['struct(a int, A text)', 'SYNTAX_ERROR'],
    ['numeric(0)', 'INVALID_ARGUMENT'],
    ['numeric(3, 4)', 'INVALID_ARGUMENT'],
    ['numeric(-1)', 'SYNTAX_ERROR'],
    ['float(54)', 'INVALID_ARGUMENT'],
    ['timestamp(7)', 'INVALID_ARGUMENT'],
    ['interval', 'NOT_SUPPORTED'],
    ['map(int, int)', 'NOT_SUPPORTED'],
    ['array(uuid)', 'NOT_SUPPORTED'],
    ['constructor', 'UNDEFINED_OBJECT'],
  ] as const;
  test.for(WRONG)('%s: %s', ([written, name]) => {
    expect(() => columnType(written)).toThrow(expect.objectContaining({ name }));
  });
});
