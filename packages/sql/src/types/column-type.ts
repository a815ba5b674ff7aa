import { fail, isSameName, nearestName } from '@tessera/common';
import { quoteName } from '@tessera/kernel';
import { isWord, Word } from '../text/lexer.ts';
import { TokenCursor } from '../text/token-cursor.ts';
import type { SqlField, SqlType } from './sql-type.ts';
import { KERNEL_NAMES } from './type-node.ts';

const MAX_PRECISION = 38;
const DEFAULT_DECIMAL: SqlType = { kind: 'decimal', precision: MAX_PRECISION, scale: 9 };

/**
 * Types by their one-word names, as casts accept them. INTEGER is the smallest integer type of the dialect.
 */
const TYPES: Readonly<Record<string, SqlType>> = {
  BOOLEAN: { kind: 'boolean' },
  BOOL: { kind: 'boolean' },
  INTEGER: { kind: 'int' },
  INT: { kind: 'int' },
  INT4: { kind: 'int' },
  SMALLINT: { kind: 'int' },
  INT2: { kind: 'int' },
  BIGINT: { kind: 'long' },
  LONG: { kind: 'long' },
  INT8: { kind: 'long' },
  REAL: { kind: 'float' },
  FLOAT4: { kind: 'float' },
  FLOAT: { kind: 'float' },
  DOUBLE: { kind: 'double' },
  FLOAT8: { kind: 'double' },
  NUMERIC: DEFAULT_DECIMAL,
  DECIMAL: DEFAULT_DECIMAL,
  DEC: DEFAULT_DECIMAL,
  TEXT: { kind: 'text' },
  STRING: { kind: 'text' },
  VARCHAR: { kind: 'text' },
  CHAR: { kind: 'text' },
  CHARACTER: { kind: 'text' },
  BPCHAR: { kind: 'text' },
  BYTEA: { kind: 'bytea' },
  BLOB: { kind: 'bytea' },
  DATE: { kind: 'date' },
  TIMESTAMP: { kind: 'timestamp' },
  DATETIME: { kind: 'timestamp' },
  TIMESTAMPTZ: { kind: 'timestamptz' },
  JSON: { kind: 'json' },
  JSONB: { kind: 'json', postgres: 'jsonb' },
};

/** Types that expressions may have but columns may not. */
const NOT_STORED = new Set([
  ...[
    'TIME',
    'TIMETZ',
    'INTERVAL',
    'UUID',
    'GEOGRAPHY',
    'MAP',
    'UNION',
    'ENUM',
    'BIT',
    'TINYINT',
    'HUGEINT',
    'UHUGEINT',
  ],
  ...['UTINYINT', 'USMALLINT', 'UINTEGER', 'UBIGINT', 'VARIANT', 'BIGNUM'],
]);

/**
 * Parses the type of a column.
 * @throws TesseraError SYNTAX_ERROR, UNDEFINED_OBJECT, NOT_SUPPORTED for a type that tables cannot store
 */
export function parseColumnType(cursor: TokenCursor): SqlType {
  let type = elementType(cursor);
  for (;;) {
    if (cursor.acceptSymbol('[')) {
      if (!cursor.acceptSymbol(']')) {
        wholeNumber(cursor);
        cursor.expectSymbol(']');
      }
    } else if (!cursor.accept('ARRAY')) return type;
    type = { kind: 'array', element: type };
  }
}

/** Parses a type in the notation of the dialect or of the kernel; same errors as `parseColumnType`. */
export function columnType(text: string): SqlType {
  const cursor = new TokenCursor(text);
  const type = parseColumnType(cursor);
  cursor.expectEnd();
  return type;
}

function elementType(cursor: TokenCursor): SqlType {
  const start = cursor.offset;
  const token = cursor.peek();
  if (token?.tokenType !== Word) return cursor.unexpected('a type');
  const word = token.image.toUpperCase();
  if (word === 'ARRAY') return arrayType(cursor);
  if (word === 'STRUCT') return structType(cursor);
  const type = Object.hasOwn(TYPES, word) ? TYPES[word] : undefined;
  cursor.next();
  if (type !== undefined) return withModifiers(cursor, word, type);
  const location = cursor.locationFrom(start);
  if (NOT_STORED.has(word)) fail('NOT_SUPPORTED', { what: `The type ${word} in a table` }, { location });
  const nearest = nearestName(word, [...Object.keys(TYPES), 'ARRAY', 'STRUCT']);
  return fail('UNDEFINED_OBJECT', { what: 'Type', name: token.image, nearest }, { location });
}

/**
 * Parses the modifiers after the first word of a type. Lengths of text types are accepted, because clients
 * send them, but not enforced.
 */
function withModifiers(cursor: TokenCursor, word: string, type: SqlType): SqlType {
  switch (word) {
    case 'NUMERIC':
    case 'DECIMAL':
    case 'DEC':
      return decimalType(cursor);
    case 'DOUBLE':
      cursor.accept('PRECISION');
      return type;
    case 'FLOAT':
      return floatType(cursor);
    case 'VARCHAR':
    case 'CHAR':
    case 'CHARACTER':
    case 'BPCHAR':
    case 'TEXT':
      cursor.accept('VARYING');
      acceptLength(cursor);
      return type;
    case 'TIMESTAMP':
    case 'TIMESTAMPTZ':
      return timestampType(cursor, type);
    default:
      return type;
  }
}

function decimalType(cursor: TokenCursor): SqlType {
  const start = cursor.offset;
  if (!cursor.acceptSymbol('(')) return DEFAULT_DECIMAL;
  const precision = wholeNumber(cursor);
  const scale = cursor.acceptSymbol(',') ? wholeNumber(cursor) : 0;
  cursor.expectSymbol(')');
  if (precision < 1 || precision > MAX_PRECISION || scale > precision) {
    const message = `NUMERIC takes a precision from 1 to ${MAX_PRECISION} and a scale from 0 to the precision`;
    fail('INVALID_ARGUMENT', { message }, { location: cursor.locationFrom(start) });
  }
  return { kind: 'decimal', precision, scale };
}

/** `FLOAT(p)` counts bits, as in PostgreSQL: REAL for up to 24 bits. */
function floatType(cursor: TokenCursor): SqlType {
  const start = cursor.offset;
  if (!cursor.acceptSymbol('(')) return { kind: 'float' };
  const bits = wholeNumber(cursor);
  cursor.expectSymbol(')');
  if (bits < 1 || bits > 53) {
    fail(
      'INVALID_ARGUMENT',
      { message: 'FLOAT takes 1 to 53 bits' },
      { location: cursor.locationFrom(start) },
    );
  }
  return { kind: bits <= 24 ? 'float' : 'double' };
}

function acceptLength(cursor: TokenCursor): void {
  if (!cursor.acceptSymbol('(')) return;
  wholeNumber(cursor);
  cursor.expectSymbol(')');
}

function timestampType(cursor: TokenCursor, type: SqlType): SqlType {
  const start = cursor.offset;
  if (cursor.acceptSymbol('(')) {
    const digits = wholeNumber(cursor);
    cursor.expectSymbol(')');
    const location = cursor.locationFrom(start);
    if (digits > 6) fail('INVALID_ARGUMENT', { message: 'A timestamp has 0 to 6 digits' }, { location });
  }
  if (cursor.accept('WITH', 'TIME', 'ZONE')) return { kind: 'timestamptz' };
  cursor.accept('WITHOUT', 'TIME', 'ZONE');
  return type;
}

function arrayType(cursor: TokenCursor): SqlType {
  cursor.expectWord('ARRAY');
  cursor.expectSymbol('(');
  const element = parseColumnType(cursor);
  acceptNullability(cursor);
  cursor.expectSymbol(')');
  return { kind: 'array', element };
}

function structType(cursor: TokenCursor): SqlType {
  cursor.expectWord('STRUCT');
  cursor.expectSymbol('(');
  const fields: SqlField[] = [];
  do {
    const start = cursor.offset;
    const name = cursor.expectName('the name of a field');
    if (fields.some((f) => isSameName(f.name, name))) {
      const location = cursor.locationFrom(start);
      fail('SYNTAX_ERROR', { message: `The struct has two fields "${name}"` }, { location });
    }
    fields.push({ name, type: parseColumnType(cursor) });
    acceptNullability(cursor);
  } while (cursor.acceptSymbol(','));
  cursor.expectSymbol(')');
  return { kind: 'struct', fields };
}

/** Elements and fields are always nullable; NULL and NOT NULL are accepted because clients write them. */
function acceptNullability(cursor: TokenCursor): void {
  if (cursor.accept('NULL')) return;
  if (isWord(cursor.peek(), 'NOT')) cursor.accept('NOT', 'NULL');
}

function wholeNumber(cursor: TokenCursor): number {
  const image = cursor.peek()?.image ?? '';
  if (!/^\d{1,9}$/.test(image)) return cursor.unexpected('an integer');
  cursor.next();
  return Number(image);
}

/** The type as the kernel's SQL, in the form of the catalog's `Column.type`. */
export function kernelTypeSql(type: SqlType): string {
  switch (type.kind) {
    case 'decimal':
      return `DECIMAL(${type.precision},${type.scale})`;
    case 'array':
      return `${kernelTypeSql(type.element)}[]`;
    case 'struct':
      return `STRUCT(${type.fields.map((f) => `${quoteName(f.name)} ${kernelTypeSql(f.type)}`).join(', ')})`;
    default:
      return KERNEL_NAMES[type.kind];
  }
}

/**
 * Whether tablets record NULL counts for a column of this type (the kernel's SQL); they do not for nested
 * types.
 */
export const isCountedType = (kernelType: string): boolean => !/^STRUCT\(|\]$/.test(kernelType);

const DIALECT_NAMES = {
  int: 'integer',
  long: 'bigint',
  float: 'real',
  double: 'double precision',
  text: 'text',
  boolean: 'boolean',
  date: 'date',
  timestamp: 'timestamp',
  timestamptz: 'timestamptz',
  bytea: 'bytea',
  geography: 'geography',
  json: 'json',
} as const;

/** The type as `typeof` names it; DDL and casts accept this name. */
export function dialectTypeName(type: SqlType): string {
  switch (type.kind) {
    case 'decimal':
      return `numeric(${type.precision}, ${type.scale})`;
    case 'array':
      return `array(${dialectTypeName(type.element)})`;
    case 'struct':
      return `struct(${type.fields.map((f) => `${fieldName(f.name)} ${dialectTypeName(f.type)}`).join(', ')})`;
    default:
      return DIALECT_NAMES[type.kind];
  }
}

const fieldName = (name: string): string => (/^[a-z_][a-z0-9_]*$/.test(name) ? name : quoteName(name));
