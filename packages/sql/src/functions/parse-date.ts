import { fail } from '@tessera/common';
import { cast, constant, type Expression, type FunctionNode } from '../tree.ts';
import { type PatternItem, parseDatetimePattern } from './datetime-pattern.ts';
import { type Argument, internalCall, kernelCall, literalText, operatorCall } from './expressions.ts';

/** `to_date(s)` → a cast; `to_date(s, 'DD Mon YYYY')` → `strptime(s, '%d %b %Y')::DATE`. */
export function parseDate({ children: [text, pattern] }: FunctionNode): Expression | undefined {
  if (text === undefined) return undefined;
  return cast(pattern === undefined ? text : parsed('to_date', text, pattern), 'DATE');
}

/**
 * The same as `parseDate` for a timestamp in the session's time zone. A single number means seconds since
 * 1970.
 */
export function parseTimestamp({ children: [value, pattern] }: FunctionNode): Expression | undefined {
  if (value === undefined) return undefined;
  // PostgreSQL takes a parameter without a type for the number of seconds.
  const isNumber = value.class === 'PARAMETER' || (value.class === 'CAST' && NUMBERS.has(value.cast_type.id));
  if (pattern === undefined)
    return isNumber ? kernelCall('to_timestamp', cast(value, 'DOUBLE')) : internalCall('to_timestamp', value);
  return cast(parsed('to_timestamp', value, pattern), 'TIMESTAMP WITH TIME ZONE');
}

const NUMBERS: ReadonlySet<string> = new Set(['INTEGER', 'BIGINT', 'FLOAT', 'DOUBLE', 'DECIMAL']);

function parsed(name: string, text: Expression, pattern: Argument): Expression {
  const literal = literalText(pattern);
  if (literal === undefined) {
    return fail('INVALID_ARGUMENT', { message: `The pattern of ${name} must be a text literal` });
  }
  const items = parseDatetimePattern(literal);
  const format = items.map((item) => formatOf(name, item)).join('');
  const hasYear = items.some(
    (item) => item.kind === 'field' && item.field.includes('Y') && item.field !== 'DAY',
  );
  // Without a year, PostgreSQL assumes the year before the year 1; the kernel would assume 1900.
  if (!hasYear) {
    const inYearFour = kernelCall(
      'strptime',
      operatorCall('||', constant('0004 '), text),
      constant(`%Y ${format}`),
    );
    return operatorCall('-', inYearFour, kernelCall('to_years', constant(4)));
  }
  const time = kernelCall('strptime', text, constant(format));
  const isShort = items.some((item) => item.kind === 'field' && item.field === 'YY');
  return isShort ? internalCall('short_year', time) : time;
}

const FORMATS: Readonly<Record<string, string>> = {
  YYYY: '%Y',
  YY: '%y',
  MM: '%m',
  MONTH: '%B',
  MON: '%b',
  DD: '%d',
  DDD: '%j',
  DAY: '%A',
  DY: '%a',
  HH24: '%H',
  HH12: '%I',
  HH: '%I',
  MI: '%M',
  SS: '%S',
  MS: '%f',
  US: '%f',
  FF1: '%f',
  FF2: '%f',
  FF3: '%f',
  FF4: '%f',
  FF5: '%f',
  FF6: '%f',
  AM: '%p',
  PM: '%p',
  TZH: '%z',
  // The kernel parses the hours and minutes of an offset together.
  TZM: '',
};

function formatOf(name: string, item: PatternItem): string {
  if (item.kind === 'text') return item.text.replaceAll('%', '%%');
  const format = FORMATS[item.field];
  if (format === undefined) {
    return fail('INVALID_ARGUMENT', { message: `${name} does not read the pattern field ${item.written}` });
  }
  return format;
}

export const PARSE_DATE_MACROS: Readonly<Record<string, readonly string[]>> = {
  // The kernel reads 69 as 1969, PostgreSQL as 2069.
  short_year: ['(t) AS CASE WHEN year(t) = 1969 THEN t + to_years(100) ELSE t END'],
  to_timestamp: [
    `(s) AS CASE WHEN typeof(s) NOT IN ('VARCHAR', 'DATE', 'TIMESTAMP', 'TIMESTAMP WITH TIME ZONE') THEN to_timestamp(s::DOUBLE)
      ELSE s::TIMESTAMPTZ END`,
  ],
};
