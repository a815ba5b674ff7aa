import { fail } from '@tessera/common';
import { caseOf, cast, comparison, constant, type Expression, type FunctionNode } from '../tree.ts';
import { type PatternItem, parseDatetimePattern } from './datetime-pattern.ts';
import { internalCall, kernelCall, literalText, operatorCall } from './expressions.ts';
import { isNumberPattern, numberToChar } from './to-char-number.ts';

/**
 * `to_char(t, 'DD Mon')` → `strftime(t, '%d %b')` for dates and timestamps; `intervalForms` changes it for times and intervals. Fields
 * that the kernel's strftime lacks become macros, joined with `||`. The pattern is parsed once, when the query is prepared. The
 * kernel writes the year 44 BC as `-43`, so patterns with a year have a second form for years before Christ.
 */
export function toChar({ children: [value, pattern] }: FunctionNode): Expression | undefined {
  const literal = literalText(pattern);
  if (value === undefined || literal === undefined) {
    return fail('INVALID_ARGUMENT', { message: 'The pattern of to_char must be a text literal' });
  }
  if (isNumberPattern(literal)) return numberToChar(value, literal);
  const items = parseDatetimePattern(literal);
  const text = timeToChar(value, items, strftimeOf);
  if (!items.some((item) => item.kind === 'field' && YEARS.has(item.field)))
    return caseOf([[kernelCall('isfinite', value), text]], cast(constant(null), 'VARCHAR'));
  const isAnnoDomini = comparison('COMPARE_GREATERTHAN', kernelCall('year', value), constant(0));
  return caseOf([[isAnnoDomini, text]], timeToChar(value, items, withoutYears));
}

/** Fields that strftime writes for years after Christ only. */
const YEARS: ReadonlySet<string> = new Set(['YYYY', 'YY']);

const withoutYears = (item: PatternItem): string | undefined =>
  item.kind === 'field' && YEARS.has(item.field) ? undefined : strftimeOf(item);

function timeToChar(
  time: Expression,
  items: readonly PatternItem[],
  directFormat: (item: PatternItem) => string | undefined,
): Expression {
  const parts: Expression[] = [];
  let format = '';
  const flush = () => {
    if (format !== '') parts.push(kernelCall('strftime', time, constant(format)));
    format = '';
  };
  for (const item of items) {
    const direct = directFormat(item);
    if (direct !== undefined) {
      format += direct;
    } else if (item.kind === 'field') {
      flush();
      parts.push(fieldText(item, time, directFormat));
    }
  }
  flush();
  const [first, ...others] = parts;
  if (first === undefined) return cast(constant(null), 'VARCHAR');
  return others.reduce((joined, part) => operatorCall('||', joined, part), first);
}

type Field = Extract<PatternItem, { kind: 'field' }>;

const PADDED: Readonly<Record<string, string>> = {
  HH24: 'H',
  HH12: 'I',
  HH: 'I',
  MI: 'M',
  SS: 'S',
  MM: 'm',
  DD: 'd',
  DDD: 'j',
};
const PLAIN: Readonly<Record<string, string>> = { YYYY: 'Y', YY: 'y', MS: 'g', US: 'f', FF6: 'f', FF3: 'g' };

function strftimeOf(item: PatternItem): string | undefined {
  if (item.kind === 'text') return item.text.replaceAll('%', '%%');
  if (item.ordinal !== '') return undefined;
  const padded = PADDED[item.field];
  if (padded !== undefined) return item.fill ? `%-${padded}` : `%${padded}`;
  const plain = PLAIN[item.field];
  if (plain !== undefined && !item.fill) return `%${plain}`;
  if (item.written === 'AM' || item.written === 'PM') return '%p';
  if (item.written === 'Mon') return '%b';
  if (item.written === 'Dy') return '%a';
  if (item.fill && item.written === 'Month') return '%B';
  if (item.fill && item.written === 'Day') return '%A';
  return undefined;
}

function fieldText(item: Field, time: Expression, directFormat: typeof strftimeOf): Expression {
  const text = withCase(item, baseText(item, time, directFormat));
  if (item.ordinal === '') return text;
  const suffixed = internalCall('ordinal', text);
  return item.ordinal === 'TH' ? kernelCall('upper', suffixed) : suffixed;
}

function baseText(item: Field, time: Expression, directFormat: typeof strftimeOf): Expression {
  const direct = directFormat({ ...item, ordinal: '' });
  if (direct !== undefined) return kernelCall('strftime', time, constant(direct));
  const named = NAMES[item.field];
  if (named !== undefined) {
    const name = kernelCall('strftime', time, constant(named.format));
    return named.width === undefined || item.fill
      ? name
      : kernelCall('rpad', name, constant(named.width), constant(' '));
  }
  const macro = MACRO_OF_FIELD[item.field] ?? item.field.toLowerCase().replace(',', '_');
  const value = internalCall(`to_char_${macro}`, time);
  if (item.fill && item.field === 'RM') return kernelCall('rtrim', value);
  return item.fill && !['A_M', 'AD', 'A_D', 'TZ', 'OF', 'MS', 'US', 'Y_YYY'].includes(macro.toUpperCase())
    ? internalCall('without_zeros', value)
    : value;
}

const NAMES: Readonly<Record<string, { readonly format: string; readonly width?: number }>> = {
  MONTH: { format: '%B', width: 9 },
  MON: { format: '%b' },
  DAY: { format: '%A', width: 9 },
  DY: { format: '%a' },
  AM: { format: '%p' },
  PM: { format: '%p' },
};

const MACRO_OF_FIELD: Readonly<Record<string, string>> = {
  'A.M.': 'a_m',
  'P.M.': 'a_m',
  AD: 'ad',
  BC: 'ad',
  'A.D.': 'a_d',
  'B.C.': 'a_d',
  YYYY: 'yyyy',
  SSSSS: 'ssss',
  FF3: 'ms',
  FF6: 'us',
};

/** `MONTH` is upper case and `month` lower case; `Month` is what the kernel writes. */
function withCase({ field, written }: Field, text: Expression): Expression {
  if (NAMES[field] === undefined && !/^(A\.M\.|P\.M\.|AD|BC|A\.D\.|B\.C\.|RM|TZ)$/.test(field)) return text;
  if (written === field) return kernelCall('upper', text);
  return written === field.toLowerCase() ? kernelCall('lower', text) : text;
}

const number = (value: string, width: number) => `tsr_char_number(${value}, '{:0${width}d}')`;
const yearDigits = (macro: string, count: number) => [
  `(t) AS ${number(`tsr_${macro}(t) % ${10 ** count}`, count)}`,
];
const wholeYear = (macro: string) => [`(t) AS ${number(`tsr_${macro}(t)`, 4)}`];
const HALF_DAY = "(date_part('hour', t) % 12)";
const TWELVE = `CASE ${HALF_DAY} WHEN 0 THEN 12 ELSE ${HALF_DAY} END`;
/** The formats of `tsr_interval_char` for the macros of fields. */
export const INTERVAL_FORMATS: Readonly<Record<string, string>> = {
  tsr_to_char_yyyy: '%Y',
  tsr_to_char_yy: '%y',
  tsr_to_char_ms: '%g',
  tsr_to_char_us: '%f',
};

/** The codes of strftime with the fields of an interval `t`. A dash before a code turns padding off. */
const INTERVAL_FIELDS: readonly (readonly [code: string, value: string])[] = [
  ['Y', number("date_part('year', t)", 4)],
  ['y', number("date_part('year', t) % 100", 2)],
  ['g', number("date_part('milliseconds', t) % 1000", 3)],
  ['f', number("date_part('microseconds', t) % 1000000", 6)],
  ['p', "CASE WHEN date_part('hour', t) % 24 >= 12 THEN 'PM' ELSE 'AM' END"],
  ...(
    [
      ['H', "date_part('hour', t)", 2],
      ['I', TWELVE, 2],
      ['M', "date_part('minute', t)", 2],
      ['S', "date_part('second', t)", 2],
      ['m', "date_part('month', t)", 2],
      ['d', "date_part('day', t)", 2],
      ['j', "(date_part('year', t) * 12 + date_part('month', t)) * 30 + date_part('day', t)", 3],
    ] as const
  ).flatMap(([code, value, width]) => [
    [code, number(value, width)] as const,
    [`-${code}`, `(${value})::VARCHAR`] as const,
  ]),
];
const fraction = (digits: number) => [`(t) AS left(strftime(t, '%f'), ${digits})`];

export const TO_CHAR_MACROS: Readonly<Record<string, readonly string[]>> = {
  without_zeros: [String.raw`(s) AS regexp_replace(s, '^(-?)[0 ]+([^0 ]|0$)', '\1\2')`],
  ordinal: [
    `(s) AS s || CASE WHEN right(s, 2) IN ('11', '12', '13') THEN 'th' WHEN right(s, 1) = '1' THEN 'st'
      WHEN right(s, 1) = '2' THEN 'nd' WHEN right(s, 1) = '3' THEN 'rd' ELSE 'th' END`,
  ],
  // A number with its sign before the zeros that fill it up.
  char_number: ["(n, digits) AS CASE WHEN n < 0 THEN '-' ELSE '' END || format(digits, abs(n))"],
  // strftime for intervals, whose fields may be negative and greater than those of a time.
  interval_char: [
    `(t, f) AS replace(${INTERVAL_FIELDS.reduce(
      (text, [code, value]) => `replace(${text}, '%${code}', ${value})`,
      "CASE WHEN regexp_matches(f, '%[aAbB]') THEN error('invalid format specification for an interval value') ELSE replace(f, '%%', chr(1)) END",
    )}, chr(1), '%')`,
  ],
  // Years before Christ are counted from 1 on, without a sign.
  era_year: [
    "(t) AS CASE WHEN date_part('year', t) > 0 THEN date_part('year', t) ELSE 1 - date_part('year', t) END",
  ],
  era_isoyear: [
    "(t) AS CASE WHEN date_part('isoyear', t) > 0 THEN date_part('isoyear', t) ELSE 1 - date_part('isoyear', t) END",
  ],
  to_char_y_yyy: [
    "(t) AS (tsr_era_year(t) // 1000)::VARCHAR || ',' || format('{:03d}', tsr_era_year(t) % 1000)",
  ],
  to_char_yyyy: wholeYear('era_year'),
  to_char_yyy: yearDigits('era_year', 3),
  to_char_yy: yearDigits('era_year', 2),
  to_char_y: yearDigits('era_year', 1),
  to_char_iyyy: wholeYear('era_isoyear'),
  to_char_iyy: yearDigits('era_isoyear', 3),
  to_char_iy: yearDigits('era_isoyear', 2),
  to_char_i: yearDigits('era_isoyear', 1),
  to_char_iddd: ["(t) AS lpad(((weekofyear(t) - 1) * 7 + isodow(t))::VARCHAR, 3, '0')"],
  to_char_id: ['(t) AS isodow(t)::VARCHAR'],
  to_char_iw: ["(t) AS lpad(weekofyear(t)::VARCHAR, 2, '0')"],
  to_char_ww: ["(t) AS lpad(((dayofyear(t) - 1) // 7 + 1)::VARCHAR, 2, '0')"],
  to_char_w: ['(t) AS ((day(t) - 1) // 7 + 1)::VARCHAR'],
  to_char_d: ['(t) AS (dayofweek(t) + 1)::VARCHAR'],
  to_char_cc: [`(t) AS ${number('century(t)', 2)}`],
  to_char_q: ['(t) AS quarter(t)::VARCHAR'],
  to_char_j: ["(t) AS floor(julian(date_trunc('day', t)))::BIGINT::VARCHAR"],
  to_char_rm: [
    "(t) AS rpad(['I','II','III','IV','V','VI','VII','VIII','IX','X','XI','XII'][month(t)], 4, ' ')",
  ],
  to_char_ssss: ['(t) AS (hour(t) * 3600 + minute(t) * 60 + second(t))::VARCHAR'],
  to_char_ms: ["(t) AS strftime(t, '%g')"],
  to_char_us: ["(t) AS strftime(t, '%f')"],
  ...Object.fromEntries([1, 2, 4, 5].map((digits) => [`to_char_ff${digits}`, fraction(digits)])),
  to_char_a_m: ["(t) AS CASE WHEN hour(t) < 12 THEN 'A.M.' ELSE 'P.M.' END"],
  to_char_ad: ["(t) AS CASE WHEN year(t) > 0 THEN 'AD' ELSE 'BC' END"],
  to_char_a_d: ["(t) AS CASE WHEN year(t) > 0 THEN 'A.D.' ELSE 'B.C.' END"],
  to_char_tz: ["(t) AS strftime(t, '%Z')"],
  to_char_of: ["(t) AS strftime(t, '%z')"],
  to_char_tzh: ["(t) AS left(strftime(t, '%z'), 3)"],
  to_char_tzm: ["(t) AS coalesce(nullif(right(replace(strftime(t, '%z'), ':', ''), -3), ''), '00')"],
};
