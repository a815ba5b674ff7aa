import { fail } from '@tessera/common';
import { cast, constant, type Expression, type FunctionNode } from '../tree.ts';
import { internalCall, kernelCall, literalText, operatorCall } from './expressions.ts';

/** A parsed number pattern of PostgreSQL's to_char. */
interface NumberPattern {
  readonly integerDigits: number;
  /** The number of integer digits, counted from the right, that are written even if they are zero. */
  readonly forcedDigits: number;
  readonly decimals: number;
  readonly forcedDecimals: number;
  readonly point: boolean;
  /** For each comma, the number of integer digits to its right. */
  readonly commas: readonly number[];
  readonly fill: boolean;
  readonly sign: 'default' | 'S' | 'MI' | 'trailing S' | 'PR' | 'leading MI' | 'leading SG';
  /** `1st`, or `1ST` */
  readonly ordinal: '' | 'th' | 'TH';
  /** `1.00e+10` */
  readonly isScientific: boolean;
  /** The number of digits after `V`, by whose power of ten the value is multiplied. */
  readonly shift: number;
  readonly prefix: string;
  readonly suffix: string;
}

const ROMAN = /^(FM)?(RN)$/i;

/** Whether a pattern has digits and no date or time field. */
export const isNumberPattern = (pattern: string): boolean => {
  const unquoted = pattern.replace(/"[^"]*"/g, '').replace(/^FM/i, '');
  return (
    ROMAN.test(pattern) || (/[09]/.test(unquoted) && !/YY|MM|MON|DD|DAY|DY|HH|SS|W|Q|J|CC/i.test(unquoted))
  );
};

/** `to_char(x, '999,990.00')` → one call of the macro, with the parsed pattern as constant arguments. */
export function numberToChar(value: Expression, pattern: string): Expression {
  const [, fill, roman] = ROMAN.exec(pattern) ?? [];
  if (roman !== undefined) {
    const numeral = internalCall('number_roman', value);
    const written = roman === 'RN' ? numeral : kernelCall('lower', numeral);
    return fill === undefined ? kernelCall('lpad', written, constant(15), constant(' ')) : written;
  }
  const p = parseNumberPattern(pattern, 'to_char');
  if (p.isScientific) return internalCall('number_scientific', value, constant(`{:.${p.decimals}e}`));
  const text = internalCall(
    'number_text',
    p.shift === 0 ? value : operatorCall('*', value, constant(10 ** p.shift)),
    constant(p.integerDigits),
    constant(p.forcedDigits),
    constant(p.decimals),
    constant(p.forcedDecimals),
    constant(p.point),
    constant(groupingOf(p)),
    constant(p.fill ? 0 : widthOf(p)),
    constant(p.sign),
  );
  const numbered = p.ordinal === '' ? text : internalCall('number_ordinal', text);
  const body = p.ordinal === 'TH' ? kernelCall('upper', numbered) : numbered;
  if (p.prefix === '' && p.suffix === '') return body;
  const ends = [constant(p.prefix), constant(p.suffix)];
  return `${p.prefix}${p.suffix}`.includes(PLUS)
    ? internalCall('number_between_signs', body, ...ends, constant(p.fill ? '' : ' '))
    : internalCall('number_between', body, ...ends);
}

/** Stands for the plus sign of `PL` before or after a number. */
const PLUS = '\u0001';

/** `thousands`, which the kernel formats faster, or the positions of the commas, each between spaces. */
function groupingOf({ commas, integerDigits }: NumberPattern): string {
  const thousands = Array.from({ length: Math.floor((integerDigits - 1) / 3) }, (_, i) => 3 * (i + 1));
  const isThousands = commas.length > 0 && commas.toReversed().join() === thousands.join();
  return isThousands ? 'thousands' : commas.map((digits) => ` ${digits} `).join('');
}

const widthOf = (p: NumberPattern): number =>
  p.integerDigits + p.commas.length + (p.point ? 1 : 0) + p.decimals + (p.sign === 'PR' ? 2 : 1);

const TOKEN = /^(?:FM|MI|PR|SG|PL|TH|EEEE|[SLGV,.D$09]|"([^"]*)"|[ %])/i;

function parseNumberPattern(pattern: string, name: 'to_char' | 'to_number'): NumberPattern {
  let [integer, fraction, prefix, suffix] = ['', '', '', ''];
  let sign: NumberPattern['sign'] = 'default';
  let [point, fill, isScientific] = [false, false, false];
  let ordinal: NumberPattern['ordinal'] = '';
  let shiftFrom: number | undefined;
  const commasAt: number[] = [];
  for (let at = 0; at < pattern.length; ) {
    const found = TOKEN.exec(pattern.slice(at));
    if (found === null) {
      return fail('INVALID_ARGUMENT', {
        message: `${name} does not know "${pattern.slice(at, at + 4)}" in the number pattern '${pattern}'`,
      });
    }
    const token = found[0].toUpperCase();
    const begun = integer !== '' || fraction !== '';
    if (token === '0' || token === '9') {
      if (suffix !== '' && name === 'to_char') {
        return fail('INVALID_ARGUMENT', {
          message: `to_char cannot write "${suffix}" between the digits of the number pattern '${pattern}'`,
        });
      }
      if (point) fraction += token;
      else integer += token;
    } else if (token === ',' || token === 'G') commasAt.push(integer.length);
    else if (token === '.' || token === 'D') point = true;
    else if (token === 'FM') fill = true;
    else if (token === 'S') sign = begun ? 'trailing S' : 'S';
    else if (token === 'SG') sign = begun ? 'trailing S' : 'leading SG';
    else if (token === 'MI') sign = begun ? 'MI' : 'leading MI';
    else if (token === 'PR') sign = 'PR';
    else if (token === 'TH') ordinal = found[0] === 'TH' ? 'TH' : 'th';
    else if (token === 'EEEE') isScientific = true;
    else if (token === 'V') shiftFrom = integer.length;
    else {
      const literal = token === 'PL' ? PLUS : token === 'L' ? '$' : (found[1] ?? found[0]);
      if (begun) suffix += literal;
      else prefix += literal;
    }
    at += found[0].length;
  }
  const firstZero = integer.indexOf('0');
  return {
    integerDigits: integer.length,
    forcedDigits: firstZero < 0 ? 0 : integer.length - firstZero,
    decimals: fraction.length,
    forcedDecimals: fill ? fraction.lastIndexOf('0') + 1 : fraction.length,
    point,
    commas: commasAt.map((digits) => integer.length - digits).filter((digits) => digits > 0),
    fill,
    sign,
    ordinal: point ? '' : ordinal,
    isScientific,
    shift: shiftFrom === undefined ? 0 : integer.length - shiftFrom,
    prefix,
    suffix,
  };
}

/**
 * `to_number('1,234.50-', '9,999.99S')` → the digits of the text, as many as the pattern has, with its sign, as
 * NUMERIC with the decimals of the pattern.
 */
export function toNumber({ children: [text, pattern] }: FunctionNode): Expression {
  const literal = literalText(pattern);
  if (text === undefined || literal === undefined) {
    return fail('INVALID_ARGUMENT', { message: 'The pattern of to_number must be a text literal' });
  }
  const { integerDigits, decimals } = parseNumberPattern(literal, 'to_number');
  const digits = internalCall('number_of_text', text, constant(integerDigits), constant(decimals));
  const base = { alias: '', extension_info: null };
  return cast(digits, {
    id: 'DECIMAL',
    type_info: {
      ...base,
      type: 'DECIMAL_TYPE_INFO',
      width: Math.min(Math.max(integerDigits + decimals, 1), 38),
      scale: decimals,
    },
  });
}

/**
 * Formats the value rounded to the decimals of the pattern. If it has more digits than the pattern has room
 * for, `#` replaces each digit. Without FM, the text has the width of the pattern plus room for a sign.
 */
export const TO_CHAR_NUMBER_MACROS: Readonly<Record<string, readonly string[]>> = {
  number_grouped: [
    `(digits, commas) AS CASE commas WHEN '' THEN digits
      WHEN 'thousands' THEN reverse(rtrim(regexp_replace(reverse(digits), '(...)', '\\1,', 'g'), ','))
      ELSE array_to_string(list_transform(
      string_split(digits, ''), (c, i) -> CASE WHEN contains(commas, ' ' || (length(digits) - i) || ' ')
        THEN c || ',' ELSE c END), '') END`,
  ],
  number_integer: [
    `(whole, room, forced, decimals) AS CASE WHEN length(whole) > room AND whole <> '0' THEN repeat('#', room)
      WHEN whole = '0' AND decimals > 0 THEN repeat('0', forced)
      WHEN room = 0 THEN '' ELSE repeat('0', forced - length(whole)) || whole END`,
  ],
  number_fraction: [
    `(part, forced, point) AS CASE WHEN NOT point THEN '' ELSE '.' || left(part, forced) || rtrim(substring(part, forced + 1), '0') END`,
  ],
  number_signed: [
    `(text, negative, sign) AS CASE sign WHEN 'S' THEN CASE WHEN negative THEN '-' ELSE '+' END || text
      WHEN 'trailing S' THEN text || CASE WHEN negative THEN '-' ELSE '+' END
      WHEN 'MI' THEN text || CASE WHEN negative THEN '-' ELSE ' ' END
      WHEN 'PR' THEN CASE WHEN negative THEN '<' || text || '>' ELSE ' ' || text || ' ' END
      ELSE CASE WHEN negative THEN '-' || text ELSE text END END`,
  ],
  number_padded: [
    "(text, width) AS CASE WHEN width = 0 THEN trim(text) ELSE lpad(text, greatest(width, length(text))::INTEGER, ' ') END",
  ],
  // A sign in front of the place of the first digit.
  number_led: [
    `(text, width, negative, sign) AS CASE WHEN negative THEN '-' WHEN sign = 'leading SG' THEN '+' WHEN width = 0 THEN ''
      ELSE ' ' END || tsr_number_padded(text, greatest(width - 1, 0))`,
  ],
  number_ordinal: [
    `(text) AS list_transform([text],
      t -> CASE WHEN contains(t, '-') OR contains(t, '#') THEN t ELSE tsr_ordinal(t) END)[1]`,
  ],
  number_scientific: ["(x, pattern) AS CASE WHEN x < 0 THEN '' ELSE ' ' END || format(pattern, x::DOUBLE)"],
  number_roman: [
    `(x) AS CASE WHEN round(x) BETWEEN 1 AND 3999 THEN list_transform([round(x)::INTEGER], n ->
      ['', 'M', 'MM', 'MMM'][n // 1000 + 1]
      || ['', 'C', 'CC', 'CCC', 'CD', 'D', 'DC', 'DCC', 'DCCC', 'CM'][n // 100 % 10 + 1]
      || ['', 'X', 'XX', 'XXX', 'XL', 'L', 'LX', 'LXX', 'LXXX', 'XC'][n // 10 % 10 + 1]
      || ['', 'I', 'II', 'III', 'IV', 'V', 'VI', 'VII', 'VIII', 'IX'][n % 10 + 1])[1]
      WHEN x IS NOT NULL THEN '###############' END`,
  ],
  number_of_text: [
    `(t, room, decimals) AS CASE WHEN regexp_matches(t, '^[^0-9.]*[-<]|-\\s*$') THEN '-' ELSE '' END
      || left(replace(regexp_extract(t, '^[^0-9.]*([0-9,]*)', 1), ',', ''), room) || '.'
      || left(regexp_extract(t, '^[^.]*\\.([0-9]*)', 1), decimals)`,
  ],
  number_between: ['(text, prefix, suffix) AS prefix || text || suffix'],
  number_between_signs: [
    `(text, prefix, suffix, otherwise) AS list_transform([text], t -> translate(prefix, chr(1), CASE
      WHEN contains(t, '-') OR contains(t, '<') THEN otherwise ELSE '+' END) || t || translate(suffix, chr(1), CASE
      WHEN contains(t, '-') OR contains(t, '<') THEN otherwise ELSE '+' END))[1]`,
  ],
  // Each list_transform names a value, because a macro repeats what its argument computes.
  number_text: [
    `(x, room, forced, decimals, forced_decimals, point, commas, width, sign) AS
      list_transform(list_transform(list_transform(list_transform([round(x::DECIMAL(38, 10), decimals)],
        tsr_v -> {'negative': tsr_v < 0, 'digits': abs(tsr_v)::VARCHAR}),
        tsr_v -> {'negative': tsr_v.negative, 'part': CASE WHEN length(split_part(tsr_v.digits, '.', 1)) > greatest(room, 1) OR room = 0 AND tsr_v.digits >= '1'
            THEN repeat('#', decimals) ELSE rpad(split_part(tsr_v.digits, '.', 2), decimals, '0') END,
          'whole': tsr_number_integer(split_part(tsr_v.digits, '.', 1), room, forced, decimals)}),
        tsr_v -> {'negative': tsr_v.negative,
          'text': tsr_number_grouped(tsr_v.whole, commas) || tsr_number_fraction(tsr_v.part, forced_decimals, point)}),
        tsr_v -> CASE WHEN starts_with(sign, 'leading') THEN tsr_number_led(tsr_v.text, width, tsr_v.negative, sign)
          ELSE tsr_number_padded(tsr_number_signed(tsr_v.text, tsr_v.negative, sign), width) END)[1]`,
  ],
};
