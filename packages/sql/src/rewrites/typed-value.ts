import { fail, type SqlLocation } from '@tessera/common';
import { isLongList, textList } from '../functions/expressions.ts';
import { type ArrayText, parseArrayText } from '../text/postgres-array.ts';
import { kernelTime } from '../text/time-text.ts';
import { call, cast, constant, type Expression } from '../tree.ts';
import { dialectTypeName } from '../types/column-type.ts';
import type { SqlType } from '../types/sql-type.ts';
import { typeNode } from '../types/type-node.ts';

const INTEGER = /^\s*([+-]?\d+)\s*$/;
const NUMBER = /^\s*([+-]?)(\d+\.?\d*|\.\d+)(?:e([+-]?\d+))?\s*$/i;
const NOT_FINITE = /^\s*(?:nan|[+-]?inf(?:inity)?)\s*$/i;
const RANGES = { int: 2n ** 31n, long: 2n ** 63n } as const;

/**
 * A literal of the type for PostgreSQL's text form of a value.
 * @throws TesseraError CAST_ERROR, OUT_OF_RANGE
 */
export function typedValue(type: SqlType, text: string, location: SqlLocation | undefined): Expression {
  const literal = (value: string) => cast(constant(value), typeNode(type));
  const invalid = (detail?: string): never => invalidText(type, text, location, detail);
  switch (type.kind) {
    case 'text':
    case 'geography':
      return constant(text);
    case 'int':
    case 'long':
      return literal(integerText(type, text, location));
    case 'float':
    case 'double':
      return NUMBER.test(text) || NOT_FINITE.test(text) ? literal(text.trim()) : invalid();
    case 'decimal':
      return decimalValue(type, text, location);
    case 'boolean':
      return constant(booleanValue(text) ?? invalid());
    case 'date':
      return literal(kernelTime(text, 'DATE'));
    case 'timestamp':
      return literal(kernelTime(text, 'TIMESTAMP'));
    case 'timestamptz':
      return literal(kernelTime(text, 'TIMESTAMP WITH TIME ZONE'));
    case 'bytea':
      return literal(kernelBytes(text) ?? invalid());
    case 'json':
      return literal(text);
    case 'struct':
      return cast(cast(constant(text), typeNode({ kind: 'json' })), typeNode(type));
    case 'array':
      return arrayValue(type, text, location);
  }
}

function invalidText(type: SqlType, text: string, location: SqlLocation | undefined, detail?: string): never {
  const name = dialectTypeName(type);
  const message = `invalid input syntax for type ${name}: ${JSON.stringify(text)}${detail ? ` (${detail})` : ''}`;
  return fail('CAST_ERROR', { message }, { location });
}

function integerText(
  type: Extract<SqlType, { kind: 'int' | 'long' | string }>,
  text: string,
  location: SqlLocation | undefined,
): string {
  const digits = INTEGER.exec(text)?.[1] ?? invalidText(type, text, location);
  const value = BigInt(digits.replace('+', ''));
  const limit = RANGES[type.kind as keyof typeof RANGES];
  if (value >= limit || value < -limit) {
    const message = `value ${JSON.stringify(text)} is out of range for type ${dialectTypeName(type)}`;
    fail('OUT_OF_RANGE', { message }, { location });
  }
  return String(value);
}

/** Keeps every digit: a value with more digits than its type allows gets a type with enough. */
function decimalValue(
  type: Extract<SqlType, { kind: 'decimal' }>,
  text: string,
  location: SqlLocation | undefined,
): Expression {
  const [, sign = '', digits, exponent = '0'] = NUMBER.exec(text) ?? [];
  if (digits === undefined) return invalidText(type, text, location);
  const [whole = '', fraction = ''] = shifted(digits, Number(exponent));
  const places = fraction.length;
  const significant = whole.replace(/^0+/, '');
  const fits = places <= type.scale && significant.length <= type.precision - type.scale;
  const width = Math.max(1, significant.length + places);
  if (!fits && width > MAX_PRECISION) {
    const message = `value ${JSON.stringify(text)} has more than ${MAX_PRECISION} digits`;
    fail('OUT_OF_RANGE', { message }, { location });
  }
  const decimal: SqlType = fits ? type : { kind: 'decimal', precision: width, scale: places };
  const plain = `${sign}${significant === '' ? '0' : significant}${places > 0 ? `.${fraction}` : ''}`;
  return cast(constant(plain), typeNode(decimal));
}

const MAX_PRECISION = 38;

/** The integer and fraction digits of `1.5e3`. */
function shifted(digits: string, exponent: number): readonly [string, string] {
  const [whole = '', fraction = ''] = digits.split('.');
  if (Math.abs(exponent) > 2 * MAX_PRECISION) return [digits.padEnd(Math.abs(exponent), '0'), ''];
  const all = whole + fraction;
  const point = whole.length + exponent;
  if (point <= 0) return ['', '0'.repeat(-point) + all];
  return [all.slice(0, point).padEnd(point, '0'), all.slice(point)];
}

/** Parses a boolean. Unique prefixes of the words are accepted, as in PostgreSQL. */
function booleanValue(text: string): boolean | undefined {
  const word = text.trim().toLowerCase();
  if (word === '1' || /^(?:t|tr|tru|true|y|ye|yes|on)$/.test(word)) return true;
  if (word === '0' || /^(?:f|fa|fal|fals|false|n|no|of|off)$/.test(word)) return false;
  return undefined;
}

/** `\x6162` or `a\142` → `\x61\x62`; undefined for a text in neither format. */
function kernelBytes(text: string): string | undefined {
  if (text.startsWith('\\x')) {
    const digits = text.slice(2).replace(/\s/g, '');
    return /^(?:[0-9a-f]{2})*$/i.test(digits) ? digits.replace(/../g, '\\x$&') : undefined;
  }
  if (!/^(?:[^\\]|\\\\|\\[0-3][0-7]{2})*$/s.test(text)) return undefined;
  const parts = text.match(/\\\\|\\[0-3][0-7]{2}|[^\\]+/gs) ?? [];
  const bytes = parts.map((part) => {
    if (part === '\\\\') return Buffer.from('\\');
    return part.startsWith('\\') ? Buffer.of(Number.parseInt(part.slice(1), 8)) : Buffer.from(part);
  });
  return Buffer.concat(bytes).toString('hex').replace(/../g, '\\x$&');
}

function arrayValue(
  type: Extract<SqlType, { kind: 'array' }>,
  text: string,
  location: SqlLocation | undefined,
): Expression {
  let items: ArrayText;
  try {
    items = parseArrayText(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return fail(
      'CAST_ERROR',
      { message: `malformed array literal: ${JSON.stringify(text)} (${error.message})` },
      { location },
    );
  }
  return listOf(type, items, text, location);
}

function listOf(
  type: Extract<SqlType, { kind: 'array' }>,
  items: ArrayText,
  text: string,
  location: SqlLocation | undefined,
): Expression {
  const { element } = type;
  const values = items.map((item) => {
    if (item === null) return constant(null);
    if (typeof item === 'string') {
      return element.kind === 'array'
        ? invalidText(type, text, location, `an element is no ${dialectTypeName(element)}`)
        : typedValue(element, item, location);
    }
    return element.kind === 'array'
      ? listOf(element, item, text, location)
      : invalidText(type, text, location, `an element is an array`);
  });
  const texts = isLongList(values) ? textsOf(values) : undefined;
  return cast(texts === undefined ? call('list_value', ...values) : textList(texts), typeNode(type));
}

/** The texts that are cast to the elements of an array; undefined if one has another form. */
function textsOf(values: readonly Expression[]): (string | null)[] | undefined {
  const texts = values.map((value) => {
    const inner = value.class === 'CAST' ? value.child : value;
    if (inner.class !== 'CONSTANT') return undefined;
    const { is_null, value: given } = inner.value;
    if (is_null) return null;
    return typeof given === 'string' ? given : undefined;
  });
  return texts.every((text) => text !== undefined) ? texts : undefined;
}
