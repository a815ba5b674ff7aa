import type { KeySummary, TaskOutcome } from '@tessera/distexec';
import type { Stage } from '@tessera/planner';
import { mergedFilters } from './bloom-filters.ts';

/** With more values than this, only their bounds are kept. */
const MAX_VALUES = 1000;

/** Merges the key summaries of a stage's tasks. Columns that one task does not summarise are left out. */
export function mergeSummaries(
  { output }: Pick<Stage, 'output'>,
  outcomes: readonly TaskOutcome[],
): readonly KeySummary[] {
  return output.summarised.flatMap((column) => {
    const parts = outcomes
      .filter(({ rows }) => rows > 0)
      .map(({ summaries }) => summaries.find((one) => one.column === column));
    if (!parts.every((part) => part !== undefined && tells(part))) return [];
    return [merged(column, parts as readonly KeySummary[], output.columns[column]!.type)];
  });
}

const tells = ({ min, max, values }: KeySummary): boolean =>
  values !== undefined || (min !== undefined && max !== undefined);

function merged(column: number, parts: readonly KeySummary[], type: string): KeySummary {
  const values = parts.every((part) => part.values !== undefined)
    ? [...new Set(parts.flatMap((part) => part.values!))]
    : undefined;
  const few = values !== undefined && values.length <= MAX_VALUES ? values : undefined;
  const bloom = few === undefined ? mergedBlooms(parts) : undefined;
  return { ...boundsOf(column, parts, type, few), ...(bloom !== undefined && { bloom }) };
}

function mergedBlooms(parts: readonly KeySummary[]): KeySummary['bloom'] {
  // A summary without values adds nothing.
  const blooms = parts.filter(({ values }) => values?.length !== 0).map(({ bloom }) => bloom);
  return blooms.length > 0 && blooms.every((bloom) => bloom !== undefined)
    ? mergedFilters(blooms)
    : undefined;
}

function boundsOf(
  column: number,
  parts: readonly KeySummary[],
  type: string,
  few: readonly string[] | undefined,
): KeySummary {
  const bounded = parts.filter((part) => part.values?.length !== 0);
  const compare = comparisonOf(
    type,
    bounded.flatMap(({ min, max }) => [min ?? '', max ?? '']),
  );
  if (compare === undefined || !bounded.every(({ min, max }) => min !== undefined && max !== undefined))
    return { column, values: few };
  const bounds = bounded.map(({ min, max }) => ({ min: min!, max: max! }));
  if (bounds.length === 0) return { column, values: few };
  return {
    column,
    values: few,
    min: bounds.map(({ min }) => min).reduce((a, b) => (compare(b, a) < 0 ? b : a)),
    max: bounds.map(({ max }) => max).reduce((a, b) => (compare(b, a) > 0 ? b : a)),
  };
}

/** The order of a type's texts; undefined if they cannot be compared. */
function comparisonOf(
  type: string,
  texts: readonly string[],
): ((a: string, b: string) => number) | undefined {
  if (/^U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?$/i.test(type)) return (a, b) => order(BigInt(a), BigInt(b));
  if (/^(FLOAT|DOUBLE|REAL)$/i.test(type)) return byNumber;
  if (/^DECIMAL/i.test(type)) return byDecimal;
  if (/^(VARCHAR|UUID)$/i.test(type)) return byBytes;
  if (/^(DATE|TIMESTAMP(_S|_MS|_NS)?)$/i.test(type) && texts.every(isOrdinaryDate)) return byBytes;
  return undefined;
}

/** Whether a date is in the years 0 to 9999. Other dates, and infinity, do not sort like their texts. */
const isOrdinaryDate = (text: string): boolean => /^\d{4}-(?!.*BC)/.test(text);

const order = <T>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

/** NaN is larger than all numbers, as in the kernel. */
const byNumber = (a: string, b: string): number => {
  const number = (text: string) =>
    /nan/i.test(text) ? Number.NaN : Number(text.replace(/inf(inity)?/i, 'Infinity'));
  const [x, y] = [number(a), number(b)];
  if (Number.isNaN(x) || Number.isNaN(y)) return order(Number.isNaN(x), Number.isNaN(y));
  return order(x, y);
};

const byDecimal = (a: string, b: string): number => order(scaled(a), scaled(b));

/** All texts of one DECIMAL type have the same number of digits after the point. */
const scaled = (text: string): bigint => BigInt(text.replace('.', ''));

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
