import { fail } from '@tessera/common';
import { call, cast, constant, type Expression, type FunctionNode } from '../tree.ts';
import { type Argument, internalCall, isUntyped, kernelCall, literalText } from './expressions.ts';
import { parseDate, parseTimestamp } from './parse-date.ts';
import { toChar } from './to-char.ts';
import { toNumber } from './to-char-number.ts';
import { type Definition, inCategory, KERNEL, macro } from './types.ts';
import { withValue } from './with-value.ts';

/**
 * The units of date_add, each with a time that is n such units later. The kernel takes two sums for one expression if their intervals
 * compare equal, such as 30 days and a month, so months, days and times have three different forms.
 */
const MOVED: Readonly<Record<string, string>> = {
  microsecond: 't - to_microseconds(-(n::BIGINT))',
  millisecond: 't - to_milliseconds(-n)',
  second: 't - to_seconds(-n)',
  minute: 't - to_minutes(-(n::BIGINT))',
  hour: 't - to_hours(-(n::BIGINT))',
  day: 'to_days(n::INTEGER) + t',
  week: 'to_weeks(n::INTEGER) + t',
  month: 't + to_months(n::INTEGER)',
  quarter: 't + to_quarters(n::INTEGER)',
  year: 't + to_years(n::INTEGER)',
  decade: 't + to_decades(n::INTEGER)',
  century: 't + to_centuries(n::INTEGER)',
  millennium: 't + to_millennia(n::INTEGER)',
};

const now = (name: string, type: string, description: string): Definition => ({
  name,
  signatures: [`${name} → ${type}`, `${name}() → ${type}`],
  description,
  example: `${name} IS NOT NULL`,
  result: 'true',
  implementation: KERNEL,
});

export const DATE_FUNCTIONS = inCategory('date and time', [
  now('current_date', 'date', 'Today, in the time zone of the session.'),
  {
    ...now('current_timestamp', 'timestamptz', 'The start of the statement.'),
    aliases: ['current_timestamptz'],
    implementation: { kind: 'rewrite', arity: [0, 0], rewrite: () => call('now') },
  },
  {
    ...now('localtimestamp', 'timestamp', 'The start of the statement, in the time zone of the session.'),
    implementation: { kind: 'rewrite', arity: [0, 0], rewrite: () => call('current_localtimestamp') },
  },
  {
    ...now('now', 'timestamptz', 'The start of the statement.'),
    signatures: ['now() → timestamptz'],
    example: 'now() IS NOT NULL',
  },
  {
    name: 'date',
    signatures: ['date(any) → date'],
    description: 'The argument as a date.',
    example: "date(TIMESTAMP '2024-02-29 23:59:59')",
    result: '2024-02-29',
    implementation: KERNEL,
  },
  {
    name: 'date_add',
    signatures: ['date_add(text unit, bigint, date | timestamp | timestamptz) → timestamp | timestamptz'],
    description: `The time, moved by the given number of units: ${Object.keys(MOVED).join(', ')}.`,
    example: "date_add('month', 1, DATE '2024-01-31')",
    result: '2024-02-29 00:00:00',
    implementation: { kind: 'rewrite', arity: [2, 3], rewrite: dateAdd },
  },
  {
    name: 'date_diff',
    signatures: ['date_diff(text unit, date | timestamp, date | timestamp) → bigint'],
    description: 'How many borders of the unit lie between the first time and the second.',
    example: "date_diff('month', DATE '2024-01-31', DATE '2024-02-01')",
    result: '1',
    implementation: KERNEL,
  },
  {
    name: 'date_trunc',
    signatures: [
      'date_trunc(text unit, date | timestamp | timestamptz [, text zone]) → the type of the time',
    ],
    description: 'The start of the unit that the time lies in; in a time zone when one is given.',
    example: "date_trunc('quarter', DATE '2024-05-17')",
    result: '2024-04-01',
    implementation: {
      kind: 'rewrite',
      arity: [2, 3],
      rewrite: ({ children: [unit, time, zone] }) => {
        const years = LONG_UNITS.find(([names]) => names.test(literalText(unit) ?? ''))?.[1];
        const instant = instantOf(time, 'TIMESTAMP WITH TIME ZONE');
        return years === undefined
          ? internalCall('date_trunc', unit, instant, zone)
          : internalCall('date_trunc_years', unit, instant, constant(years), zone);
      },
    },
  },
  {
    name: 'extract',
    aliases: ['date_part'],
    signatures: ['extract(unit FROM date | timestamp | timestamptz) → bigint | numeric | double precision'],
    description: 'A part of the time; seconds with their fraction.',
    example: "extract(second FROM TIMESTAMP '2024-01-01 10:00:05.25')",
    result: '5.250000',
    implementation: {
      kind: 'rewrite',
      arity: [2, 2],
      rewrite: ({ children: [unit, time] }) => {
        const macro = EXTRACTED.find(([names]) => names.test(literalText(unit) ?? ''))?.[1];
        return macro === undefined
          ? kernelCall('date_part', unit, time)
          : internalCall(`extract_${macro}`, time);
      },
    },
  },
  {
    name: 'from_unixtime',
    signatures: ['from_unixtime(bigint) → timestamp'],
    description: 'The time that is the given number of seconds after 1970-01-01 00:00:00 UTC, in UTC.',
    example: 'from_unixtime(1700000000)',
    result: '2023-11-14 22:13:20',
    implementation: macro([1, 1], '(s) AS make_timestamp((s * 1000000::BIGINT)::BIGINT)'),
  },
  {
    name: 'justify_days',
    signatures: ['justify_days(interval) → interval'],
    description: 'The interval with every 30 days as a month.',
    example: "justify_days(INTERVAL '35 days')",
    result: '1 mon 5 days',
    implementation: macro(
      [1, 1],
      `(i) AS ${withValue(
        'tsr_span',
        'i::INTERVAL',
        `to_months(tsr_whole_units(tsr_interval_days(tsr_span), 30)::INTEGER)
        + to_days((tsr_interval_days(tsr_span) % 30)::INTEGER) + to_microseconds(tsr_interval_time(tsr_span))`,
      )}`,
    ),
  },
  {
    name: 'justify_hours',
    signatures: ['justify_hours(interval) → interval'],
    description: 'The interval with every 24 hours as a day.',
    example: "justify_hours(INTERVAL '27 hours')",
    result: '1 day 03:00:00',
    implementation: macro(
      [1, 1],
      `(i) AS ${withValue(
        'tsr_span',
        'i::INTERVAL',
        `to_months((date_part('year', tsr_span) * 12 + date_part('month', tsr_span))::INTEGER)
        + tsr_days_and_time(date_part('day', tsr_span), tsr_interval_time(tsr_span))`,
      )}`,
    ),
  },
  {
    name: 'justify_interval',
    signatures: ['justify_interval(interval) → interval'],
    description: 'The interval with every 24 hours as a day, every 30 days as a month, and one sign.',
    example: "justify_interval(INTERVAL '1 month' - INTERVAL '1 hour')",
    result: '29 days 23:00:00',
    implementation: macro(
      [1, 1],
      `(i) AS ${withValue(
        'tsr_span',
        'i::INTERVAL',
        `to_months(tsr_whole_units(tsr_whole_days(tsr_interval_days(tsr_span), tsr_interval_time(tsr_span)), 30)::INTEGER)
        + to_days((tsr_whole_days(tsr_interval_days(tsr_span), tsr_interval_time(tsr_span)) % 30)::INTEGER)
        + tsr_time_of_day(tsr_interval_days(tsr_span), tsr_interval_time(tsr_span))`,
      )}`,
    ),
  },
  {
    name: 'to_char',
    signatures: [
      'to_char(date | time | timestamp | timestamptz | interval, text pattern) → text',
      'to_char(numeric, text pattern) → text',
    ],
    description: 'The time or number as text by a pattern of PostgreSQL, which must be a literal.',
    example: "to_char(TIMESTAMP '2024-03-05 18:04:09', 'DD Mon YYYY, HH12:MI AM')",
    result: '05 Mar 2024, 06:04 PM',
    implementation: { kind: 'rewrite', arity: [2, 2], rewrite: toChar },
  },
  {
    name: 'to_date',
    signatures: ['to_date(text [, text pattern]) → date'],
    description: 'The date that a text says, by a pattern of PostgreSQL.',
    example: "to_date('5 March 2024', 'DD Month YYYY')",
    result: '2024-03-05',
    implementation: { kind: 'rewrite', arity: [1, 2], rewrite: parseDate },
  },
  {
    name: 'to_number',
    signatures: ['to_number(text, text pattern) → numeric'],
    description:
      'The number that a text says, by a pattern as in to_char, which must be a literal; it has the decimals of the pattern.',
    example: "to_number('12,454.8-', '99,999.9S')",
    result: '-12454.8',
    implementation: { kind: 'rewrite', arity: [2, 2], rewrite: toNumber },
  },
  {
    name: 'to_timestamp',
    signatures: [
      'to_timestamp(text [, text pattern]) → timestamptz',
      'to_timestamp(double precision) → timestamptz',
    ],
    description:
      'The text as a time in the time zone of the session, parsed by a pattern of PostgreSQL; or the time that is the given number of seconds after 1970-01-01 00:00:00 UTC.',
    example: "to_timestamp('2024-03-05 06:07 PM', 'YYYY-MM-DD HH12:MI AM')::timestamp",
    result: '2024-03-05 18:07:00',
    implementation: { kind: 'rewrite', arity: [1, 2], rewrite: parseTimestamp },
  },
  {
    name: 'to_yyyymm',
    signatures: ['to_yyyymm(date | timestamp | timestamptz) → integer'],
    description: 'Year and month as one number.',
    example: "to_yyyymm(DATE '2024-03-05')",
    result: '202403',
    implementation: macro([1, 1], '(d) AS (year(d) * 100 + month(d))::INTEGER'),
  },
  {
    name: 'to_yyyymmdd',
    signatures: ['to_yyyymmdd(date | timestamp | timestamptz) → integer'],
    description: 'Year, month and day as one number.',
    example: "to_yyyymmdd(DATE '2024-03-05')",
    result: '20240305',
    implementation: macro([1, 1], '(d) AS (year(d) * 10000 + month(d) * 100 + day(d))::INTEGER'),
  },
]);

/** The units of more than a year, with their years. */
const LONG_UNITS: readonly (readonly [RegExp, number])[] = [
  [/^(?:decades?|decs?)$/i, 10],
  [/^(?:century|centuries|cent)$/i, 100],
  [/^(?:millennium|millennia|mil|mils)$/i, 1000],
];

/** The units that the kernel extracts differently from PostgreSQL, each with its macro. */
const EXTRACTED: readonly (readonly [RegExp, string])[] = [
  [/^(?:seconds?|secs?|s)$/i, 'second'],
  [/^(?:milliseconds?|ms|msecs?)$/i, 'millisecond'],
  [/^(?:years?|yrs?|y)$/i, 'year'],
  [/^isoyear$/i, 'isoyear'],
  [/^(?:decades?|decs?)$/i, 'decade'],
  [/^epoch$/i, 'epoch'],
  [/^julian$/i, 'julian'],
];

function dateAdd({ children: [unit, count, time] }: FunctionNode): Expression | undefined {
  // The call with two arguments, a date and an interval, is the kernel's own function.
  if (time === undefined) return undefined;
  const name = literalText(unit)?.toLowerCase().replace(/s$/, '');
  if (name === undefined || !Object.hasOwn(MOVED, name)) {
    return fail('INVALID_ARGUMENT', {
      message: `date_add: the unit must be one of the literals ${Object.keys(MOVED).join(', ')}`,
    });
  }
  return internalCall(`date_add_${name}`, count, instantOf(time, 'TIMESTAMP'));
}

/** A literal or parameter without a type is read as the type that the function prefers. */
const instantOf = (time: Argument, type: string): Argument =>
  time !== undefined && isUntyped(time) ? cast(time, type) : time;

export const DATE_MACROS: Readonly<Record<string, readonly string[]>> = {
  // How many whole units are in n, toward zero.
  whole_units: ['(n, unit) AS (n - n % unit) // unit'],
  // The days of an interval whose months have 30 days, without its time.
  interval_days: [
    "(i) AS (date_part('year', i::INTERVAL) * 12 + date_part('month', i::INTERVAL)) * 30 + date_part('day', i::INTERVAL)",
  ],
  // The microseconds of an interval, without its days and months.
  interval_time: [
    `(i) AS date_part('hour', i::INTERVAL) * 3600000000 + date_part('minute', i::INTERVAL) * 60000000
      + date_part('microsecond', i::INTERVAL)`,
  ],
  // Comparisons of intervals compare this number of microseconds.
  interval_total: ['(i) AS tsr_interval_days(i)::HUGEINT * 86400000000 + tsr_interval_time(i)'],
  greatest_interval: [
    '(a, b) AS CASE WHEN tsr_interval_total(a) >= tsr_interval_total(b) OR b IS NULL THEN a ELSE b END',
  ],
  least_interval: [
    '(a, b) AS CASE WHEN tsr_interval_total(a) <= tsr_interval_total(b) OR b IS NULL THEN a ELSE b END',
  ],
  // The parts of which the sum of intervals is made.
  interval_months: ["(i) AS date_part('year', i::INTERVAL) * 12 + date_part('month', i::INTERVAL)"],
  interval_only_days: ["(i) AS date_part('day', i::INTERVAL)"],
  // The kernel adds the parts of an interval with a negative one to a TIMESTAMPTZ in the opposite order.
  plus_interval: [
    '(t, i) AS t + to_months(CAST(tsr_interval_months(i) AS INTEGER)) + to_days(CAST(tsr_interval_only_days(i) AS INTEGER)) + to_microseconds(CAST(tsr_interval_time(i) AS BIGINT))',
  ],
  time_between: [
    `(a, b) AS CASE WHEN typeof(a) = 'TIMESTAMP WITH TIME ZONE' OR typeof(b) = 'TIMESTAMP WITH TIME ZONE'
      THEN timezone('UTC', a::TIMESTAMPTZ) - timezone('UTC', b::TIMESTAMPTZ) ELSE a::TIMESTAMP - b::TIMESTAMP END`,
  ],
  // Days and microseconds together, with one sign: the whole days, and the rest as an interval.
  whole_days: ['(days, us) AS tsr_whole_units(days::HUGEINT * 86400000000 + us, 86400000000)'],
  time_of_day: ['(days, us) AS to_microseconds(((days::HUGEINT * 86400000000 + us) % 86400000000)::BIGINT)'],
  days_and_time: ['(days, us) AS to_days(tsr_whole_days(days, us)::INTEGER) + tsr_time_of_day(days, us)'],
  // AT TIME ZONE for a zone that is `east` minutes east of Greenwich. The kernel has such zones only for full hours.
  at_offset: [
    `(t, east) AS timezone('UTC', t) + to_minutes(CASE WHEN typeof(timezone('UTC', t)) = 'TIMESTAMP' THEN east ELSE -east END)`,
  ],
  // Rounds the seconds to n decimal digits.
  rounded_instant: [
    '(t, n) AS CASE WHEN isfinite(t) THEN make_timestamptz(round(epoch_us(t), n - 6)::BIGINT) ELSE t END',
  ],
  rounded_time: [
    '(t, n) AS CASE WHEN isfinite(t) THEN make_timestamp(round(epoch_us(t), n - 6)::BIGINT) ELSE t END',
  ],
  ...Object.fromEntries(
    Object.entries(MOVED).map(([unit, moved]) => [`date_add_${unit}`, [`(n, t) AS ${moved}`]]),
  ),
  date_trunc: [
    '(u, t) AS cast_to_type(date_trunc(u, t), t)',
    '(u, t, zone) AS timezone(zone, date_trunc(u, timezone(zone, t::TIMESTAMPTZ)))',
  ],
  // The same time, in a form of which the kernel makes no condition on what was truncated.
  kept: ['(t) AS t + to_days(0)'],
  // Before Christ, the kernel truncates toward the year 0. In PostgreSQL, centuries and millennia begin with their year 1.
  years_before: [
    `(t, n) AS to_years(CASE WHEN typeof(t) = 'INTERVAL' THEN 0 ELSE CASE WHEN n > 10 THEN 1 ELSE 0 END
      + CASE WHEN year(t) <= CASE WHEN n > 10 THEN 0 ELSE -1 END THEN n - 1 ELSE 0 END END)`,
  ],
  trunc_years: [
    `(u, t, n) AS cast_to_type(date_trunc(u, t - tsr_years_before(t, n))
      + to_years(CASE WHEN n > 10 AND typeof(t) <> 'INTERVAL' THEN 1 ELSE 0 END), t)`,
  ],
  date_trunc_years: [
    '(u, t, n) AS tsr_trunc_years(u, t, n)',
    '(u, t, n, zone) AS timezone(zone, tsr_trunc_years(u, timezone(zone, t::TIMESTAMPTZ), n))',
  ],
  // The year before the year 1 is -1.
  before_christ: ["(y, t) AS CASE WHEN y <= 0 AND typeof(t) <> 'INTERVAL' THEN y - 1 ELSE y END"],
  extract_year: ["(t) AS tsr_before_christ(date_part('year', t), t)"],
  extract_isoyear: ["(t) AS tsr_before_christ(date_part('isoyear', t), t)"],
  extract_decade: [
    `(t) AS CASE WHEN date_part('year', t) < 0 AND typeof(t) <> 'INTERVAL' THEN (date_part('year', t) - 9) // 10
      ELSE date_part('decade', t) END`,
  ],
  // Infinite times have infinite numbers of seconds and days; the kernel returns NULL.
  infinite_part: [
    "(t) AS CASE t::VARCHAR WHEN 'infinity' THEN 'infinity'::DOUBLE WHEN '-infinity' THEN '-infinity'::DOUBLE END",
  ],
  extract_epoch: ["(t) AS coalesce(date_part('epoch', t), tsr_infinite_part(t))"],
  extract_julian: ["(t) AS coalesce(date_part('julian', t), tsr_infinite_part(t))"],
  // The kernel returns milliseconds without a fraction.
  extract_millisecond: ["(t) AS (date_part('microseconds', t) * 0.001)::DECIMAL(8, 3)"],
  // The kernel returns seconds without a fraction.
  extract_second: ["(t) AS (date_part('microseconds', t) * 0.000001)::DECIMAL(8, 6)"],
};
