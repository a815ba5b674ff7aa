import type { TokenCursor } from '../text/token-cursor.ts';
import { columnType, kernelTypeSql, parseColumnType } from './column-type.ts';
import type { SqlType } from './sql-type.ts';

/** The type of a column in the form of the catalog's `Column`. */
export interface DeclaredType {
  /** The type as the kernel's SQL. */
  readonly kernelType: string;
  /** PostgreSQL's name of the type, if it says more than `kernelType`: `character varying(20)`. */
  readonly declared?: string;
}

/**
 * Parses the type of a column.
 * @throws TesseraError as `parseColumnType`
 */
export function parseDeclaredType(cursor: TokenCursor): DeclaredType {
  const start = cursor.index;
  const type = parseColumnType(cursor);
  const kernelType = kernelTypeSql(type);
  const words = cursor.tokens.slice(start, cursor.index).map(({ image }) => image.toLowerCase());
  const declared = DECLARED_KINDS.has(type.kind) ? declaredName(words) : undefined;
  return declared === undefined ? { kernelType } : { kernelType, declared };
}

const DECLARED_KINDS: ReadonlySet<SqlType['kind']> = new Set([
  'text',
  'int',
  'json',
  'timestamp',
  'timestamptz',
]);

/**
 * `varchar ( 20 )` → `character varying(20)`; undefined for a name that says no more than the dialect's own.
 */
function declaredName([first = '', ...rest]: readonly string[]): string | undefined {
  const length = rest.find((word) => /^\d+$/.test(word));
  switch (first) {
    case 'smallint':
    case 'int2':
      return 'smallint';
    case 'jsonb':
      return 'jsonb';
    case 'timestamp':
    case 'timestamptz': {
      if (length === undefined) return undefined;
      const isZoned = first === 'timestamptz' || rest.includes('with');
      return `timestamp(${length}) ${isZoned ? 'with' : 'without'} time zone`;
    }
    case 'varchar':
      return length === undefined ? 'character varying' : `character varying(${length})`;
    case 'char':
    case 'character':
      if (!rest.includes('varying')) return `character(${length ?? 1})`;
      return length === undefined ? 'character varying' : `character varying(${length})`;
    default:
      return undefined;
  }
}

/** The type of a column that PostgreSQL clients see. */
export const shownType = (column: { readonly type: string; readonly declared?: string }): SqlType =>
  withDeclared(columnType(column.type), column.declared);

/** The type that PostgreSQL clients see for a value of `type` from a column with `Column.declared`. */
export function withDeclared(type: SqlType, declared: string | undefined): SqlType {
  if (declared === 'smallint') return type.kind === 'int' ? { kind: 'int', postgres: 'int2' } : type;
  const digits = /^timestamp\((\d)\)/.exec(declared ?? '');
  if (digits !== null)
    return type.kind === 'timestamp' || type.kind === 'timestamptz'
      ? { kind: type.kind, length: Number(digits[1]) }
      : type;
  if (declared === 'jsonb') return type.kind === 'json' ? { kind: 'json', postgres: 'jsonb' } : type;
  const [, name, length] = /^(character(?: varying)?)(?:\((\d+)\))?$/.exec(declared ?? '') ?? [];
  if (name === undefined || type.kind !== 'text') return type;
  const postgres = name === 'character' ? 'bpchar' : 'varchar';
  return { kind: 'text', postgres, ...(length === undefined ? {} : { length: Number(length) }) };
}

/** `Column.declared` of a new column for values of the type. */
export function declaredAs(type: SqlType): string | undefined {
  if ((type.kind === 'timestamp' || type.kind === 'timestamptz') && type.length !== undefined)
    return `timestamp(${type.length}) ${type.kind === 'timestamptz' ? 'with' : 'without'} time zone`;
  if (type.kind !== 'int' && type.kind !== 'text' && type.kind !== 'json') return undefined;
  switch (type.postgres) {
    case 'jsonb':
      return 'jsonb';
    case 'int2':
      return 'smallint';
    case 'varchar':
      return type.length === undefined ? 'character varying' : `character varying(${type.length})`;
    case 'bpchar':
      return `character(${type.length ?? 1})`;
    default:
      return undefined;
  }
}
