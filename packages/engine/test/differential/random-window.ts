import { EXACT, ORDERED } from './random-aggregate.ts';
import type { RandomChoice } from './random-choice.ts';
import type { Reference } from './reference.ts';

/**
 * A window function whose value does not depend on the order of rows that its own ORDER BY leaves open.
 * `mayNumber`: whether it may distinguish rows that are equal in all columns. Only one window of a SELECT may
 * do that, because two would combine their values arbitrarily.
 */
export function windowOf(
  choice: RandomChoice,
  columns: readonly Reference[],
  { mayNumber }: { readonly mayNumber: boolean },
): Reference {
  const orderable = columns.filter(({ kind }) => ORDERED.has(kind));
  if (orderable.length === 0) return { sql: `COUNT(*) OVER ()`, kind: 'big' };
  const partition = choice.chance(0.75)
    ? `PARTITION BY ${choice
        .some(columns, 1, 2)
        .map(({ sql }) => sql)
        .join(', ')} `
    : '';
  const keys = (some: readonly Reference[]) =>
    `ORDER BY ${some.map(({ sql }) => `${sql} ${choice.pick(['NULLS FIRST', 'DESC NULLS LAST', 'NULLS LAST'])}`).join(', ')}`;
  const value = choice.pick(orderable);
  const numbers = columns.filter(({ kind }) => EXACT.has(kind));
  const ranked = choice.pick(['RANK()', 'DENSE_RANK()', 'PERCENT_RANK()', 'CUME_DIST()']);
  const peers = `${partition}${keys(choice.some(orderable, 1, 2))}`;
  // With every column in the order, rows that it leaves open are equal.
  const rest = choice.some(columns, columns.length, columns.length);
  const total = `${partition}${keys(rest)}`;
  const numbering = (weight: number) => (mayNumber ? weight : 0);
  const rangeFrame = choice.pick([
    '',
    ' RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW',
    ' RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING',
    ` GROUPS BETWEEN ${choice.between(0, 2)} PRECEDING AND ${choice.between(0, 2)} FOLLOWING`,
    ' GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW EXCLUDE GROUP',
  ]);
  const rowsFrame = choice.pick([
    ` ROWS BETWEEN ${choice.between(0, 3)} PRECEDING AND ${choice.between(0, 3)} FOLLOWING`,
    ' ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING',
    ' ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING',
  ]);
  const number = numbers.length === 0 ? undefined : choice.pick(numbers);
  return choice.weighted<Reference>([
    [
      2,
      {
        sql: `${ranked} OVER (${peers})`,
        kind: ranked.startsWith('P') || ranked.startsWith('C') ? 'double' : 'big',
      },
    ],
    [numbering(2), { sql: `ROW_NUMBER() OVER (${total})`, kind: 'big' }],
    [
      numbering(2),
      {
        sql: `${choice.pick(['LAG', 'LEAD'])}(${value.sql}, ${choice.between(1, 3)}) OVER (${total})`,
        kind: value.kind,
      },
    ],
    [
      numbering(1),
      {
        sql: `${choice.pick(['FIRST_VALUE', 'LAST_VALUE'])}(${value.sql}) OVER (${total}${rowsFrame})`,
        kind: value.kind,
      },
    ],
    [numbering(1), { sql: `NTH_VALUE(${value.sql}, 2) OVER (${total}${rowsFrame})`, kind: value.kind }],
    [2, { sql: `COUNT(${value.sql}) OVER (${peers}${rangeFrame})`, kind: 'big' }],
    [
      2,
      { sql: `${choice.pick(['MIN', 'MAX'])}(${value.sql}) OVER (${peers}${rangeFrame})`, kind: value.kind },
    ],
    [1, { sql: `COUNT(DISTINCT ${value.sql}) OVER (${peers})`, kind: 'big' }],
    [
      number === undefined ? 0 : 3,
      {
        sql: `SUM(${number?.sql}) OVER (${number === undefined ? '' : choice.pick([peers + rangeFrame, mayNumber ? total + rowsFrame : peers])})`,
        kind: 'decimal',
      },
    ],
    [1, { sql: `COUNT(*) OVER (${partition.trimEnd()})`, kind: 'big' }],
  ]);
}
