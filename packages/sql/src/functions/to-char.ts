import { fail } from '@tessera/common';
import { cast, constant, type Expression, type FunctionNode } from '../tree.ts';
import { type PatternItem, parseDatetimePattern } from './datetime-pattern.ts';
import { internalCall, isNullLiteral, kernelCall, literalText, operatorCall } from './expressions.ts';
import { isNumberPattern, numberToChar } from './to-char-number.ts';

/**
 * `to_char(t, 'DD Mon')` → `strftime(t, '%d %b')`. Fields that the kernel's strftime lacks become macros,
 * joined with `||`. The pattern is parsed once, when the query is prepared.
 */
export function toChar({ children: [value, pattern] }: FunctionNode): Expression | undefined {
  if (isNullLiteral(pattern)) return cast(constant(null), 'VARCHAR');
  const literal = literalText(pattern);
  if (value === undefined || literal === undefined) {
    return fail('INVALID_ARGUMENT', { message: 'The pattern of to_char must be a text literal' });
  }
  return isNumberPattern(literal) ? numberToChar(value, literal) : timeToChar(value, literal);
}

function timeToChar(time: Expression, pattern: string): Expression {
  const parts: Expression[] = [];
  let format = '';
  const flush = () => {
    if (format !== '') parts.push(kernelCall('strftime', time, constant(format)));
    format = '';
  };
  for (const item of parseDatetimePattern(pattern)) {
    const direct = strftimeOf(item);
    if (direct !== undefined) {
      format += direct;
    } else if (item.kind === 'field') {
      flush();
      parts.push(fieldText(item, time));
    }
  }
  flush();
  const [first, ...others] = parts;
  if (first === undefined) return kernelCall('strftime', time, constant(''));
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

function fieldText(item: Field, time: Expression): Expression {
  const text = withCase(item, baseText(item, time));
  if (item.ordinal === '') return text;
  const suffixed = internalCall('ordinal', text);
  return item.ordinal === 'TH' ? kernelCall('upper', suffixed) : suffixed;
}

function baseText(item: Field, time: Expression): Expression {
  const direct = strftimeOf({ ...item, ordinal: '' });
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
  return item.fill && !['A_M', 'AD', 'A_D', 'RM', 'TZ', 'OF', 'MS', 'US'].includes(macro.toUpperCase())
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

const yearDigits = (format: string, count: number) => [`(t) AS right(strftime(t, '${format}'), ${count})`];
const fraction = (digits: number) => [`(t) AS left(strftime(t, '%f'), ${digits})`];

export const TO_CHAR_MACROS: Readonly<Record<string, readonly string[]>> = {
  without_zeros: ["(s) AS CASE WHEN ltrim(s, '0 ') = '' THEN '0' ELSE ltrim(s, '0 ') END"],
  ordinal: [
    `(s) AS s || CASE WHEN right(s, 2) IN ('11', '12', '13') THEN 'th' WHEN right(s, 1) = '1' THEN 'st'
      WHEN right(s, 1) = '2' THEN 'nd' WHEN right(s, 1) = '3' THEN 'rd' ELSE 'th' END`,
  ],
  to_char_y_yyy: ["(t) AS (year(t) // 1000)::VARCHAR || ',' || lpad((year(t) % 1000)::VARCHAR, 3, '0')"],
  to_char_yyyy: ["(t) AS strftime(t, '%Y')"],
  to_char_yyy: yearDigits('%Y', 3),
  to_char_yy: yearDigits('%Y', 2),
  to_char_y: yearDigits('%Y', 1),
  to_char_iyyy: ["(t) AS strftime(t, '%G')"],
  to_char_iyy: yearDigits('%G', 3),
  to_char_iy: yearDigits('%G', 2),
  to_char_i: yearDigits('%G', 1),
  to_char_iddd: ["(t) AS lpad(((weekofyear(t) - 1) * 7 + isodow(t))::VARCHAR, 3, '0')"],
  to_char_id: ['(t) AS isodow(t)::VARCHAR'],
  to_char_iw: ["(t) AS lpad(weekofyear(t)::VARCHAR, 2, '0')"],
  to_char_ww: ["(t) AS lpad(((dayofyear(t) - 1) // 7 + 1)::VARCHAR, 2, '0')"],
  to_char_w: ['(t) AS ((day(t) - 1) // 7 + 1)::VARCHAR'],
  to_char_d: ['(t) AS (dayofweek(t) + 1)::VARCHAR'],
  to_char_cc: ["(t) AS lpad(century(t)::VARCHAR, 2, '0')"],
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
