import { nearestName } from '@tessera/common';
import { withDialectTypes } from './dialect-type.ts';

export function suggestion(name: string, candidates: string): string {
  const names = [...candidates.matchAll(/"(.*?)"/g)].map(([, candidate]) => candidate!);
  const nearest = nearestName(name, names);
  return nearest === undefined ? '' : ` (did you mean ${nearest}?)`;
}

const INTERNAL_FUNCTION = /^(?:tsr_|list_|__|duckdb_|pg_)|^\W/;

/** Removes the engine's internal functions, and operators, from a list. */
export const publicNames = (candidates: string): string =>
  candidates.replace(/"(.*?)"/g, (quoted, name: string) => (INTERNAL_FUNCTION.test(name) ? '' : quoted));

/** The user-visible names of functions that implement operators and similar syntax. */
const FUNCTION_NAMES: Readonly<Record<string, string>> = {
  '~~': 'LIKE',
  '!~~': 'NOT LIKE',
  '~~*': 'ILIKE',
  '!~~*': 'NOT ILIKE',
  '**': '^',
  '//': '/',
  array_extract: 'subscript',
  date_part: 'extract',
  isfinite: 'to_char',
  list_has_all: '@>',
  list_value: 'array',
  rank_dense: 'dense_rank',
  strftime: 'to_char',
  strptime: 'to_timestamp',
  struct_pack: 'struct',
};

export const shownFunction = (name: string): string =>
  FUNCTION_NAMES[name] ?? name.replace(/^tsr_(?:pg_)?/, '').replace(/^list_/, 'array_');

const CLAUSES: Readonly<Record<string, string>> = {
  'insert statement': 'VALUES',
  'table function': 'functions in FROM',
};

export const shownClause = (clause: string): string => CLAUSES[clause.toLowerCase()] ?? clause.toUpperCase();

const NAME = /^[a-z_]\w*$/i;

export const kindOf = (name: string): string => (/^[a-z_]/i.test(name) ? 'Function' : 'Operator');

/** Formats `Operator integer + text` or `Function upper(text)`. */
export function called(name: string, types: string): string {
  const shown = shownFunction(name);
  const arguments_ = withDialectTypes(types);
  if (NAME.test(name) && NAME.test(shown)) return `Function ${shown}(${arguments_})`;
  const [left, ...right] = arguments_.split(/, (?![^(]*\))/);
  return right.length === 0 ? `Operator ${shown} ${left}` : `Operator ${left} ${shown} ${right.join(', ')}`;
}
