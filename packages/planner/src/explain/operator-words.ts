/** The field's words for the kernel's physical operators. */
const WORDS: Readonly<Record<string, string>> = {
  ASOF_JOIN: 'As-of join',
  BLOCKWISE_NL_JOIN: 'Nested-loop join',
  COLUMN_DATA_SCAN: 'Values',
  CROSS_PRODUCT: 'Cross join',
  CTE: 'Common table expression',
  CTE_SCAN: 'Scan common table expression',
  DELIM_SCAN: 'Scan correlated values',
  DUMMY_SCAN: 'One row',
  EMPTY_RESULT: 'No rows',
  EXPRESSION_SCAN: 'Values',
  HASH_GROUP_BY: 'Aggregate',
  IE_JOIN: 'Range join',
  LEFT_DELIM_JOIN: 'Correlated join',
  LIMIT_PERCENT: 'Limit',
  NESTED_LOOP_JOIN: 'Nested-loop join',
  ORDER_BY: 'Sort',
  PARTITIONED_AGGREGATE: 'Aggregate',
  PERFECT_HASH_GROUP_BY: 'Aggregate',
  PIECEWISE_MERGE_JOIN: 'Merge join',
  PROJECTION: 'Project',
  RECURSIVE_CTE: 'Recursive query',
  RECURSIVE_CTE_SCAN: 'Scan recursive query',
  REC_CTE: 'Recursive query',
  REC_CTE_SCAN: 'Scan recursive query',
  RESERVOIR_SAMPLE: 'Sample',
  RIGHT_DELIM_JOIN: 'Correlated join',
  SIMPLE_AGGREGATE: 'Aggregate',
  STREAMING_LIMIT: 'Limit',
  STREAMING_SAMPLE: 'Sample',
  STREAMING_WINDOW: 'Window',
  TOP_N: 'Top N',
  UNGROUPED_AGGREGATE: 'Aggregate',
};

/**
 * For example `HASH_GROUP_BY` → `Aggregate`; an operator without an entry keeps its words: `HASH_JOIN` → `Hash join`.
 * @param inputRows the rows of its inputs, where they are known: a cross join with one row, such as the value of a subquery,
 * multiplies nothing and has another name
 */
export function operatorWord(kernelName: string, inputRows: readonly (number | undefined)[] = []): string {
  if (kernelName === 'CROSS_PRODUCT' && inputRows.includes(1)) return 'Join with one row';
  const known = WORDS[kernelName];
  if (known !== undefined) return known;
  const words = kernelName.toLowerCase().replaceAll('_', ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The names of the details, by the kernel's names; undefined: not shown. */
const DETAILS: Readonly<Record<string, string | undefined>> = {
  Aggregates: 'aggregates',
  Condition: 'on',
  Conditions: 'on',
  'CTE Index': undefined,
  'CTE Name': 'name',
  'Delim Index': undefined,
  'Estimated Cardinality': undefined,
  Expression: 'condition',
  'Filename(s)': undefined,
  Filters: 'filter',
  Function: undefined,
  Groups: 'groups',
  'Join Type': 'type',
  'Order By': 'by',
  Projections: 'columns',
  Table: undefined,
  'Table Index': undefined,
  Top: 'limit',
  'Total Files Read': undefined,
  Type: undefined,
};

export const detailName = (kernelName: string): string | undefined =>
  Object.hasOwn(DETAILS, kernelName) ? DETAILS[kernelName] : kernelName.toLowerCase();

/** The operators that the kernel writes as functions. */
const OPERATORS: Readonly<Record<string, string>> = {
  '~~': 'LIKE',
  '!~~': 'NOT LIKE',
  '~~*': 'ILIKE',
  '!~~*': 'NOT ILIKE',
};

/** An operator of the kernel as the dialect writes it. */
export const operatorText = (name: string): string => OPERATORS[name] ?? name;

/** An argument of a function: names, constants and calls without calls among their arguments. */
const ARGUMENT = String.raw`((?:[^(),']|'(?:[^']|'')*'|\([^()]*\))+)`;
const OPERATOR_CALL = new RegExp(String.raw`"(!?~~\*?)"\(${ARGUMENT}, ${ARGUMENT}\)`, 'g');

/** The kernel's check that a subquery returns one row, around the value. */
const ONLY_ROW =
  /CASE\s+WHEN \(*(?:count\(\*\)|#\d+) > 1\)* THEN \(?"?error"?\('?More than one row returned by a subquery.*?\)+ ELSE (.*?) END/gs;

export const ONLY_ROW_NOTE = ' (an error if there are several rows)';

/** Writes an expression of the kernel as the dialect does. */
export const detailText = (text: string): string =>
  text
    .replaceAll('count_star()', 'count(*)')
    .replaceAll('sum_no_overflow(', 'sum(')
    .replaceAll(ONLY_ROW, `$1${ONLY_ROW_NOTE}`)
    .replaceAll(
      OPERATOR_CALL,
      (_, operator: string, left: string, right: string) => `(${left} ${operatorText(operator)} ${right})`,
    )
    // The kernel quotes the names of functions that are words of its own grammar.
    .replaceAll(/"(\w+)"\(/g, '$1(')
    // A condition that the kernel derives while it runs, such as the worst row that a Top N has kept.
    .replaceAll(/(?:\boptional: )?\bDynamic Filter \(/g, 'dynamic filter (')
    // The kernel packs keys into smaller types on its own account; a second argument is the smallest value.
    .replaceAll(/__internal_(?:de)?compress_\w+\(([^(),]*)(?:, [^()]*)?\)/g, '$1')
    // The engine's own macros and functions stand for functions of the dialect.
    .replaceAll(/\btsr_(?=\w+\()/g, '');
