/** A statement or query of a file, with its conditions. */
export type SqlRecord = StatementRecord | QueryRecord;

interface RecordPlace {
  /** The number of its first line, counted from 1. */
  readonly line: number;
  readonly conditions: readonly Condition[];
  /** Statements with the same name share a session. */
  readonly connection: string | undefined;
  readonly sql: string;
}

export interface Condition {
  readonly kind: 'skipif' | 'onlyif';
  readonly name: string;
}

export interface StatementRecord extends RecordPlace {
  readonly kind: 'statement';
  readonly expect: 'ok' | 'error' | 'maybe';
  /** The expected error: a part of the message, or after `<REGEX>:` a pattern for the whole message. */
  readonly message: string | undefined;
}

export interface QueryRecord extends RecordPlace {
  readonly kind: 'query';
  /** One letter per column. */
  readonly types: string;
  readonly sort: 'nosort' | 'rowsort' | 'valuesort';
  /** Queries with the same label must return the same result. */
  readonly label: string | undefined;
  /** The lines of the result; undefined if it is not compared. */
  readonly expected: readonly string[] | undefined;
}

/** A command that controls the run. */
export type Control =
  | { readonly kind: 'halt'; readonly line: number; readonly conditions: readonly Condition[] }
  | { readonly kind: 'endloop'; readonly line: number }
  | {
      readonly kind: 'loop';
      readonly line: number;
      readonly variable: string;
      readonly values: readonly string[];
    }
  | { readonly kind: 'mode'; readonly line: number; readonly mode: string }
  | { readonly kind: 'unsupported'; readonly line: number; readonly directive: string };

const SIGNED = ['tinyint', 'smallint', 'integer', 'bigint', 'hugeint'];
const INTEGRAL = [...SIGNED, 'utinyint', 'usmallint', 'uinteger', 'ubigint', 'uhugeint'];
const NUMERIC = [...INTEGRAL, 'float', 'double'];
/** Named lists of types. */
const TYPE_LISTS: Readonly<Record<string, readonly string[]>> = {
  '<signed>': SIGNED,
  '<integral>': INTEGRAL,
  '<numeric>': NUMERIC,
  '<alltypes>': [...NUMERIC, 'bool', 'interval', 'varchar'],
};
const typesOf = (word: string): readonly string[] => TYPE_LISTS[word] ?? [word];

const SORTS = new Set(['nosort', 'rowsort', 'valuesort']);

/** Parses a file in the sqllogictest format, with the extensions of DuckDB and SQLite. */
export function parseRecords(text: string): (SqlRecord | Control)[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const found: (SqlRecord | Control)[] = [];
  let conditions: Condition[] = [];
  let at = 0;
  const block = (isEnd: (line: string) => boolean): string[] => {
    const from = at;
    while (at < lines.length && !isEnd(lines[at]!)) at++;
    return lines.slice(from, at);
  };
  const isBlank = (line: string) => line.trim() === '';
  const expectedLines = (): string[] | undefined => {
    if (lines[at]?.trim() !== '----') return undefined;
    at++;
    return block(isBlank);
  };
  while (at < lines.length) {
    const line = at + 1;
    const words = lines[at]!.trim().split(/\s+/);
    at++;
    const [directive = '', ...rest] = words;
    if (directive === '' || directive.startsWith('#')) continue;
    const start = { line, conditions };
    switch (directive) {
      case 'skipif':
      case 'onlyif':
        conditions = [...conditions, { kind: directive, name: rest[0] ?? '' }];
        continue;
      case 'statement': {
        const sql = block((l) => isBlank(l) || l.trim() === '----').join('\n');
        const message = expectedLines()?.join('\n').trim();
        const expect = rest[0] === 'error' || rest[0] === 'maybe' ? rest[0] : 'ok';
        found.push({ kind: 'statement', ...start, expect, connection: rest[1], sql, message });
        break;
      }
      case 'query': {
        const sql = block((l) => isBlank(l) || l.trim() === '----').join('\n');
        const expected = expectedLines();
        const [types = '', ...others] = rest;
        const sort = others.find((word): word is QueryRecord['sort'] => SORTS.has(word));
        const names = others.filter((word) => !SORTS.has(word));
        found.push({
          kind: 'query',
          ...start,
          types,
          sort: sort ?? 'nosort',
          connection: names.find((name) => /^con/.test(name)),
          label: names.find((name) => !/^con/.test(name)),
          sql,
          expected,
        });
        break;
      }
      case 'halt':
        found.push({ kind: 'halt', ...start });
        break;
      case 'endloop':
        found.push({ kind: 'endloop', line });
        break;
      case 'loop': {
        const [variable = '', from, to] = rest;
        const values = Array.from({ length: Number(to) - Number(from) }, (_, i) => String(Number(from) + i));
        found.push({ kind: 'loop', line, variable, values });
        break;
      }
      case 'foreach':
        found.push({ kind: 'loop', line, variable: rest[0] ?? '', values: rest.slice(1).flatMap(typesOf) });
        break;
      case 'mode':
        found.push({ kind: 'mode', line, mode: rest[0] ?? '' });
        break;
      case 'hash-threshold':
      case 'control':
        break;
      default:
        found.push({ kind: 'unsupported', line, directive: words.join(' ') });
    }
    conditions = [];
  }
  return found;
}
