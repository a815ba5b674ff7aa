import type { RandomChoice } from './random-choice.ts';
import type { Kind } from './random-tables.ts';
import type { Reference } from './reference.ts';

/** Kinds of columns whose order is the same on both sides. */
export const ORDERED: ReadonlySet<Kind> = new Set([
  ...([
    'unique',
    'int',
    'big',
    'decimal',
    'double',
    'text',
    'date',
    'timestamp',
    'timestamptz',
    'boolean',
  ] as const),
]);
/** Kinds whose sums are exact in any order. */
export const EXACT: ReadonlySet<Kind> = new Set(['unique', 'int', 'decimal'] as const);

/** An aggregate of the columns, of `kind` if possible. Its value does not depend on the order of the rows. */
export function aggregateOf(choice: RandomChoice, columns: readonly Reference[], kind?: Kind): Reference {
  const ordered = columns.filter(
    (column) => ORDERED.has(column.kind) && (kind === undefined || column.kind === kind),
  );
  if (kind !== undefined) {
    if (ordered.length === 0) return { sql: 'COUNT(*)', kind: 'big' };
    return { sql: `${choice.pick(['MIN', 'MAX'])}(${choice.pick(ordered).sql})`, kind };
  }
  const filter = filterOf(choice, columns);
  const any = choice.pick(columns);
  const numbers = columns.filter((column) => EXACT.has(column.kind));
  const number = numbers.length === 0 ? undefined : choice.pick(numbers);
  const least = ordered.length === 0 ? undefined : choice.pick(ordered);
  const texts = columns.filter((column) => column.kind === 'text');
  const truths = columns.filter((column) => column.kind === 'boolean');
  const choices: [number, Reference][] = [
    [2, { sql: `COUNT(*)${filter}`, kind: 'big' }],
    [2, { sql: `COUNT(${any.sql})${filter}`, kind: 'big' }],
    [3, { sql: `COUNT(DISTINCT ${any.sql})${filter}`, kind: 'big' }],
  ];
  if (number !== undefined) {
    const sum: Kind = number.kind === 'decimal' ? 'decimal' : 'big';
    choices.push(
      [3, { sql: `SUM(${number.sql})${filter}`, kind: sum }],
      [1, { sql: `SUM(DISTINCT ${number.sql})${filter}`, kind: sum }],
      [2, { sql: `AVG(${number.sql})${filter}`, kind: 'double' }],
      [1, { sql: `ROUND(STDDEV_SAMP(${number.sql})${filter}, 6)`, kind: 'double' }],
      [1, { sql: `MEDIAN(${number.sql})${filter}`, kind: 'double' }],
    );
  }
  if (least !== undefined) {
    choices.push([3, { sql: `${choice.pick(['MIN', 'MAX'])}(${least.sql})${filter}`, kind: least.kind }]);
  }
  if (texts.length > 0) {
    const { sql } = choice.pick(texts);
    choices.push(
      [1, { sql: `STRING_AGG(DISTINCT ${sql}, ',' ORDER BY ${sql})${filter}`, kind: 'text' }],
      [1, { sql: `ARRAY_AGG(${sql} ORDER BY ${sql} NULLS FIRST)${filter}`, kind: 'texts' }],
    );
  }
  if (truths.length > 0) {
    choices.push([
      1,
      {
        sql: `${choice.pick(['BOOL_AND', 'BOOL_OR'])}(${choice.pick(truths).sql})${filter}`,
        kind: 'boolean',
      },
    ]);
  }
  return choice.weighted(choices);
}

function filterOf(choice: RandomChoice, columns: readonly Reference[]): string {
  if (!choice.chance(0.25)) return '';
  return ` FILTER (WHERE ${choice.pick(columns).sql} IS ${choice.pick(['', 'NOT '])}NULL)`;
}
