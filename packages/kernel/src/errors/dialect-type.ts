/**
 * The dialect's names of kernel types: by the names in the kernel's SQL and by those of its physical types.
 */
const NAMES: Readonly<Record<string, string>> = {
  BOOL: 'boolean',
  BOOLEAN: 'boolean',
  INT8: 'smallint',
  TINYINT: 'smallint',
  INT16: 'smallint',
  SMALLINT: 'smallint',
  INT32: 'integer',
  INTEGER: 'integer',
  INTEGER_LITERAL: 'integer',
  INT64: 'bigint',
  BIGINT: 'bigint',
  INT128: 'numeric(38, 0)',
  HUGEINT: 'numeric(38, 0)',
  UINT8: 'smallint',
  UTINYINT: 'smallint',
  UINT16: 'integer',
  USMALLINT: 'integer',
  UINT32: 'bigint',
  UINTEGER: 'bigint',
  UINT64: 'numeric(20, 0)',
  UBIGINT: 'numeric(20, 0)',
  UINT128: 'numeric(39, 0)',
  UHUGEINT: 'numeric(39, 0)',
  BIGNUM: 'numeric',
  FLOAT: 'real',
  DOUBLE: 'double precision',
  DECIMAL: 'numeric',
  VARCHAR: 'text',
  STRING: 'text',
  STRING_LITERAL: 'text',
  CHAR: 'text',
  BLOB: 'bytea',
  DATE: 'date',
  TIME: 'time',
  TIMETZ: 'timetz',
  TIMESTAMP: 'timestamp',
  TIMESTAMP_S: 'timestamp',
  TIMESTAMP_MS: 'timestamp',
  TIMESTAMP_NS: 'timestamp',
  TIMESTAMPTZ: 'timestamptz',
  INTERVAL: 'interval',
  UUID: 'uuid',
  JSON: 'json',
  GEOMETRY: 'geography',
  LIST: 'array',
  ARRAY: 'array',
  STRUCT: 'struct',
  MAP: 'map',
  ENUM: 'enum',
  BIT: 'bit',
  ANY: 'any type',
  UNKNOWN: 'unknown',
};

const WITH_TIME_ZONE = /\b(TIMESTAMP|TIME) WITH TIME ZONE\b/g;
/** Matches a type name that ends with array brackets. */
const ARRAY = /([a-z][a-z ]*(?:\([^()]*\))?)((?:\[\d*\])+)/g;
/** Matches upper-case words, and quoted texts in order to skip them: quoted text is the user's. */
const WORD = /"[^"\n]*"|'[^'\n]*'|\b[A-Z][A-Z0-9_]+\b/g;

/**
 * Replaces the kernel's type names in a message by the dialect's: `INT32` becomes `integer`, `VARCHAR[]`
 * becomes `array(text)`. Quoted text is left alone.
 */
export function withDialectTypes(message: string): string {
  const named = message
    .replace(WITH_TIME_ZONE, (_, type: string) => (type === 'TIME' ? 'TIMETZ' : 'TIMESTAMPTZ'))
    .replaceAll('"NULL"[]', 'array')
    .replace(WORD, (word) => NAMES[word] ?? word)
    .replace(/\bnumeric\((\d+),\s*(\d+)\)/g, 'numeric($1, $2)');
  return named.replace(ARRAY, (_, type: string, brackets: string) => {
    const depth = brackets.split('[').length - 1;
    const element = KNOWN.find((known) => type === known || type.endsWith(` ${known}`)) ?? type;
    const before = type.slice(0, type.length - element.length);
    return `${before}${'array('.repeat(depth)}${element}${')'.repeat(depth)}`;
  });
}

/** Longer names come first: `double precision[]` is an array of that type, not of `precision`. */
const KNOWN = [...new Set(Object.values(NAMES))].sort((a, b) => b.length - a.length);
