import { fail } from '@tessera/common';
import {
  internalCall,
  isNullLiteral,
  kernelCall,
  listType,
  literalInteger,
  operatorCall,
} from '../functions/expressions.ts';
import { internalName } from '../functions/internal-macros.ts';
import { AS_DECLARED } from '../functions/postgres-macros.ts';
import { isFoundTwice, markedMatches, matchedGroup, patternWith } from '../functions/regex.ts';
import { regexGroups } from '../functions/regex-groups.ts';
import { similarPart } from '../functions/similar-part.ts';
import type { Arity } from '../functions/types.ts';
import { XOR } from '../text/json-operators.ts';
import { call, caseOf, cast, constant, type Expression, stringLiteral } from '../tree.ts';
import { arrayLiteral } from './array-literals.ts';
import { coalesced } from './lookup.ts';
import type { PostgresFunction } from './postgres-function.ts';

const macro = (name: string, arity: Arity): PostgresFunction => ({
  arity,
  rewrite: (args) => internalCall(name, ...args),
});

const now: PostgresFunction = { arity: [0, 0], rewrite: () => call('now') };

/** Functions of PostgreSQL's SQL, other than those of its catalog, that the dialect does not document. */
export const POSTGRES_SQL_FUNCTIONS: Readonly<Record<string, PostgresFunction>> = {
  '@>': { arity: [2, 2], rewrite: ([whole, part]) => containment('@>', whole!, part!) },
  '<@': { arity: [2, 2], rewrite: ([part, whole]) => containment('<@', whole!, part!) },
  '|/': { arity: [1, 1], rewrite: ([number]) => kernelCall('sqrt', number) },
  '||/': { arity: [1, 1], rewrite: ([number]) => kernelCall('cbrt', number) },
  [XOR]: { arity: [2, 2], rewrite: (numbers) => kernelCall('xor', ...numbers) },
  /** `array_concat`, the dialect's function, makes an empty array of two NULLs. */
  array_cat: {
    arity: [1, Infinity],
    rewrite: (args) =>
      args.length === 2 ? internalCall('joined_arrays', ...args) : kernelCall('list_concat', ...args),
  },
  acosd: macro('pg_acosd', [1, 1]),
  asind: macro('pg_asind', [1, 1]),
  atan2d: macro('pg_atan2d', [2, 2]),
  atand: macro('pg_atand', [1, 1]),
  cosd: macro('pg_cosd', [1, 1]),
  sind: macro('pg_sind', [1, 1]),
  array_dims: macro('pg_array_dims', [1, 1]),
  array_fill: { arity: [2, 3], rewrite: filledArray },
  array_ndims: macro('pg_array_ndims', [1, 1]),
  [AS_DECLARED]: macro('declared', [2, 2]),
  array_position: { arity: [2, 3], rewrite: positionIn },
  array_positions: macro('pg_array_positions', [2, 2]),
  array_replace: macro('pg_array_replace', [3, 3]),
  cardinality: macro('pg_cardinality', [1, 1]),
  clock_timestamp: now,
  statement_timestamp: now,
  /** NUMERIC with all digits before the point, which 38 digits have room for. */
  div: { arity: [2, 2], rewrite: (numbers) => cast(internalCall('pg_div', ...numbers), 'HUGEINT') },
  json_object: { arity: [1, Infinity], rewrite: jsonObject },
  normalize: { arity: [1, 2], rewrite: normalized },
  convert_to: { arity: [2, 2], rewrite: bytesOfText },
  current_time: {
    arity: [1, 1],
    rewrite: ([digits]) => cast(internalCall('rounded_instant', call('now'), digits), 'TIME WITH TIME ZONE'),
  },
  current_timestamp: {
    arity: [0, 1],
    rewrite: ([digits]) =>
      digits === undefined ? call('now') : internalCall('rounded_instant', call('now'), digits),
  },
  localtime: {
    arity: [1, 1],
    rewrite: ([digits]) => cast(internalCall('rounded_time', call('current_localtimestamp'), digits), 'TIME'),
  },
  localtimestamp: {
    arity: [0, 1],
    rewrite: ([digits]) =>
      digits === undefined
        ? call('current_localtimestamp')
        : internalCall('rounded_time', call('current_localtimestamp'), digits),
  },
  date_bin: {
    arity: [3, 3],
    rewrite: ([stride, time, origin]) => {
      const isText = stringLiteral(origin!) !== undefined;
      const isOpen = [time, origin].every((one) => one?.class === 'CONSTANT' && isNullLiteral(one));
      return internalCall(
        'pg_date_bin',
        stride,
        isOpen ? cast(time!, 'TIMESTAMP WITH TIME ZONE') : time,
        isText ? kernelCall('cast_to_type', origin, time) : origin,
      );
    },
  },
  factorial: { arity: [1, 1], rewrite: ([n]) => kernelCall('factorial', cast(n!, 'INTEGER')) },
  format: { arity: [1, Infinity], rewrite: formatted },
  generate_subscripts: { arity: [2, 3], rewrite: subscripts },
  get_byte: macro('pg_get_byte', [2, 2]),
  initcap: macro('pg_initcap', [1, 1]),
  make_date: {
    arity: [1, 3],
    rewrite: (args) =>
      args.length === 3 ? internalCall('pg_make_date', ...args) : kernelCall('make_date', ...args),
  },
  make_interval: { arity: [0, 7], rewrite: madeInterval },
  make_timestamp: {
    arity: [1, 6],
    rewrite: (args) =>
      args.length === 6 ? internalCall('pg_make_timestamp', ...args) : kernelCall('make_timestamp', ...args),
  },
  overlaps: macro('pg_overlaps', [4, 4]),
  pg_typeof: {
    arity: [1, 1],
    rewrite: ([value]) =>
      internalCall('pg_type_name', internalCall('type_name', kernelCall('typeof', value))),
  },
  regexp_count: {
    arity: [2, 4],
    rewrite: ([text, pattern, start, flags]) =>
      cast(
        kernelCall('len', allMatches(textFrom(text!, start), pattern, patternWith(pattern, flags))),
        'INTEGER',
      ),
  },
  regexp_instr: { arity: [2, 7], rewrite: matchPosition },
  regexp_substr: { arity: [2, 6], rewrite: matchedText },
  set_byte: macro('pg_set_byte', [3, 3]),
  sha256: macro('pg_sha256', [1, 1]),
  substring: {
    arity: [2, 3],
    rewrite: (args) => {
      const [text, pattern, length] = args;
      const isEscape = length !== undefined && (stringLiteral(length) !== undefined || isNullLiteral(length));
      if (isEscape && isText(pattern!)) return similarPart(text!, pattern!, length);
      return length === undefined && isText(pattern!)
        ? matchedPart(text!, pattern!)
        : call('substring', ...args);
    },
  },
  tand: macro('pg_tand', [1, 1]),
  to_hex: macro('pg_to_hex', [1, 1]),
  trim_array: macro('pg_trim_array', [2, 2]),
  width_bucket: { arity: [2, 4], rewrite: (args) => internalCall('pg_width_bucket', ...args) },
};

/** A NULL is no element of an array for PostgreSQL. The type of a parameter is inferred from the kernel's operator. */
const containment = (symbol: '@>' | '<@', whole: Expression, part: Expression): Expression =>
  whole.class === 'PARAMETER' || part.class === 'PARAMETER'
    ? operatorCall(symbol, ...(symbol === '@>' ? [whole, part] : [part, whole]))
    : internalCall('pg_array_contains', whole, part);

const UNITS = ['years', 'months', 'weeks', 'days', 'hours', 'mins', 'secs'] as const;

/** `make_interval(days => 3)`: arguments are given by position or by name. */
function madeInterval(args: readonly Expression[]): Expression {
  const parts = args.map((argument, i) => {
    const name = argument.alias === '' ? UNITS[i]! : argument.alias.toLowerCase();
    const unit = UNITS.find((known) => known === name);
    if (unit === undefined)
      fail('UNDEFINED_FUNCTION', { message: `make_interval has no argument "${name}"` });
    const amount = { ...argument, alias: '' };
    if (unit === 'secs') return kernelCall('to_microseconds', cast(product(amount, 1_000_000), 'BIGINT'));
    const whole = cast(amount, 'INTEGER');
    if (unit === 'weeks') return kernelCall('to_days', product(whole, 7));
    return kernelCall(unit === 'mins' ? 'to_minutes' : `to_${unit}`, whole);
  });
  return parts.length === 0
    ? cast(constant('0 days'), 'INTERVAL')
    : parts.reduce((sum, part) => ({ ...call('+', sum, part), is_operator: true }));
}

const product = (value: Expression, factor: number): Expression => ({
  ...call('*', value, constant(factor)),
  is_operator: true,
});

function bytesOfText([text, encoding]: readonly Expression[]): Expression {
  if (isNullLiteral(encoding)) return cast(constant(null), 'BLOB');
  if (!/^utf-?8$/i.test(stringLiteral(encoding!) ?? ''))
    fail('NOT_SUPPORTED', { what: 'convert_to with an encoding other than UTF8' });
  return kernelCall('encode', text);
}

const isText = (node: Expression): boolean =>
  stringLiteral(node) !== undefined || (node.class === 'CAST' && node.cast_type.id === 'VARCHAR');

/** `substring('foo123' from '[0-9]+')`: the first group, or all that matched; NULL where nothing does. */
function matchedPart(text: Expression, pattern: Expression): Expression {
  if (isNullLiteral(pattern)) return cast(constant(null), 'VARCHAR');
  const literal = stringLiteral(pattern);
  if (literal === undefined) return internalCall('pg_matched_part', text, pattern, patternWith(pattern));
  return regexGroups(literal).length > 0
    ? matchedGroup(text, patternWith(pattern), literal, 1, internalName('regexp_extract'))
    : internalCall('regexp_extract', text, patternWith(pattern), constant(0));
}

/** The text from a position on, where a search begins. */
const textFrom = (text: Expression, start: Expression | undefined): Expression =>
  start === undefined || literalInteger(start) === 1 ? text : call('substring', text, start);

/** The texts of all matches. @param found the pattern as the kernel needs it */
function allMatches(
  text: Expression,
  pattern: Expression | undefined,
  found: ReturnType<typeof patternWith>,
): Expression {
  const literal = pattern && stringLiteral(pattern);
  return literal !== undefined && isFoundTwice(literal)
    ? internalCall('regexp_all', markedMatches(text, pattern, found))
    : kernelCall('regexp_extract_all', text, found, constant(0));
}

/** `regexp_substr(text, pattern, start, n, flags, group)`: the text or a group of the n-th match. */
function matchedText(args: readonly Expression[]): Expression {
  const [text, pattern, start, nth, flags, group] = args;
  const found = patternWith(pattern, flags);
  if (nth === undefined && group === undefined)
    return internalCall('regexp_extract', textFrom(text!, start), found, constant(0));
  const searched = textFrom(text!, start);
  const isWhole = group === undefined || literalInteger(group) === 0;
  const all = isWhole
    ? allMatches(searched, pattern, found)
    : kernelCall('regexp_extract_all', searched, found, group);
  return kernelCall('list_extract', all, nth ?? constant(1));
}

/** `regexp_instr(text, pattern, start, n, at_end, flags)`: where the n-th match begins, or what follows it. */
function matchPosition(args: readonly Expression[]): Expression {
  const [text, pattern, start = constant(1), nth = constant(1), atEnd = constant(0), flags, group] = args;
  if (group !== undefined && literalInteger(group) !== 0)
    return fail('NOT_SUPPORTED', { what: 'regexp_instr with the position of a group' });
  const parts = markedMatches(textFrom(text!, start), pattern, patternWith(pattern, flags));
  return cast(internalCall('pg_marked_position', parts, start, nth, atEnd), 'INTEGER');
}

/** `generate_subscripts(array, 1, reverse)`; an array has no subscripts of a dimension that it does not have. */
function subscripts([list, dimension, isReversed]: readonly Expression[]): Expression {
  const isFirst = literalInteger(dimension!) === 1;
  if (isFirst && isReversed === undefined) return call('generate_subscripts', list!, dimension!);
  const last = isFirst ? call('len', list!) : internalCall('pg_array_upper', list, dimension);
  const upwards = kernelCall('generate_series', constant(1), last);
  const downwards = kernelCall('generate_series', last, constant(1), constant(-1));
  return call('unnest', isReversed === undefined ? upwards : caseOf([[isReversed, downwards]], upwards));
}

/** `array_fill(value, ARRAY[2, 3])`: an array for each dimension. */
function filledArray([value, dimensions, bounds]: readonly Expression[]): Expression {
  if (bounds !== undefined)
    return fail('NOT_SUPPORTED', { what: 'array_fill with lower bounds', hint: 'arrays begin with 1' });
  if (isNullLiteral(dimensions))
    return fail('NULL_NOT_ALLOWED', { message: 'dimension array or low bound array cannot be null' });
  const counts = itemsOf(dimensions!);
  if (counts.length === 0)
    return fail('NOT_SUPPORTED', { what: 'array_fill with dimensions that are no constant array' });
  const [most, ...others] = counts.map((count) => cast(count, 'DOUBLE'));
  const elements = others.reduce<Expression>((product, count) => operatorCall('*', product, count), most!);
  return counts
    .map((count) => cast(count, 'BIGINT'))
    .map((count, i) => (i < others.length ? count : internalCall('pg_fill_length', value, count, elements)))
    .reduceRight((filled, count) => internalCall('pg_array_fill', filled, count), value!);
}

/** The items of an array that is written as such, also under casts. */
function itemsOf(node: Expression): readonly Expression[] {
  if (node.class === 'CAST') return itemsOf(node.child);
  const isArray =
    (node.class === 'OPERATOR' && node.type === 'ARRAY_CONSTRUCTOR') ||
    (node.class === 'FUNCTION' && node.function_name === 'list_value');
  return isArray ? node.children : [];
}

/** A field of a pattern of `format`: `%`, position, `-`, width and kind, as in `%2$-10s`. */
const FORMAT_FIELD = /%(?:(\d+)\$)?(-?)(?:(\d+)|(\*)(?:(\d+)\$)?)?(.?)/gs;

/** `format('%s is %-10I', a, b)`: texts, names and literals in the places of a literal pattern. */
function formatted(args: readonly Expression[]): Expression {
  const [pattern, ...values] = args;
  const text = stringLiteral(pattern!);
  if (text === undefined)
    return fail('NOT_SUPPORTED', { what: 'format() with a pattern that is not a literal' });
  let next = 0;
  const value = (position: string | undefined): Expression => {
    if (position !== undefined) next = Number(position) - 1;
    const found = values[next];
    next += 1;
    if (found !== undefined) return found;
    return fail('INVALID_ARGUMENT', { message: `format() has too few arguments for "${text}"` });
  };
  const parts: Expression[] = [];
  let end = 0;
  for (const field of text.matchAll(FORMAT_FIELD)) {
    const [whole, position, left, digits, star, widthPosition, kind] = field;
    if (field.index > end) parts.push(constant(text.slice(end, field.index)));
    end = field.index + whole.length;
    if (whole === '%%') parts.push(constant('%'));
    else {
      const width = star === undefined ? digits && constant(Number(digits)) : value(widthPosition);
      const shown = formattedValue(kind!, value(position));
      parts.push(width ? internalCall('pg_format_padded', shown, width, constant(left === '-')) : shown);
    }
  }
  if (end < text.length) parts.push(constant(text.slice(end)));
  return kernelCall('concat', constant(''), ...parts);
}

function formattedValue(kind: string, value: Expression): Expression {
  switch (kind) {
    case 's':
      return kernelCall('concat', value);
    case 'I':
      return internalCall('pg_format_ident', value);
    case 'L':
      return coalesced(internalCall('pg_quote_literal', value), constant('NULL'));
    default:
      return fail('INVALID_ARGUMENT', {
        message:
          kind === ''
            ? 'unterminated format() type specifier'
            : `unrecognized format() type specifier "${kind}"`,
      });
  }
}

/** `normalize(text [, NFC])`: the parser takes the name of the form for a column. */
function normalized([text, form]: readonly Expression[]): Expression {
  const isDefault = form === undefined || (form.class === 'COLUMN_REF' && form.column_names[0] === 'nfc');
  return isDefault
    ? kernelCall('nfc_normalize', text)
    : fail('NOT_SUPPORTED', { what: 'A form of normalize other than NFC' });
}

/**
 * PostgreSQL's `json_object('{a,1,b,2}')` and `json_object(keys, values)` of arrays of texts. With other arguments it is a function of the
 * kernel, which takes keys and values in turn.
 */
function jsonObject(args: readonly Expression[]): Expression {
  const [first, second] = args;
  if (
    args.length > 1 &&
    !(args.length === 2 && args.every((one) => isTextArray(one) || isNullLiteral(one)))
  ) {
    if (args.some((key, i) => i % 2 === 0 && isArrayCall(key)))
      fail('UNDEFINED_FUNCTION', { message: 'json_object cannot be called with an array as a key' });
    return kernelCall('json_object', ...args);
  }
  const pairs =
    second === undefined
      ? internalCall('json_pairs', textArray(first!))
      : internalCall('json_zipped', textArray(first!), textArray(second));
  return internalCall('json_object', pairs, constant(''));
}

const isArrayText = (node: Expression): boolean => /^\s*\{/.test(stringLiteral(node) ?? '');

const isTextArray = (node: Expression): boolean =>
  node.class === 'CAST' ? node.cast_type.id === 'LIST' : isArrayText(node) || isArrayCall(node);

const isArrayCall = (node: Expression): boolean =>
  (node.class === 'OPERATOR' && node.type === 'ARRAY_CONSTRUCTOR') ||
  (node.class === 'FUNCTION' && /^(?:list_value|array_agg|string_to_array)$/.test(node.function_name));

const TEXTS = listType('VARCHAR');

function textArray(node: Expression): Expression {
  if (node.class === 'CONSTANT') return arrayLiteral(cast(node, TEXTS));
  const isNested =
    (node.class === 'OPERATOR' || node.class === 'FUNCTION') && node.children.some(isArrayCall);
  return cast(isNested ? kernelCall('flatten', node) : node, TEXTS);
}

/** `array_position(array, element, start)`: the position of the first element equal to the value, from a position on. */
function positionIn(args: readonly Expression[]): Expression {
  return args.length === 2
    ? kernelCall('array_position', ...args)
    : internalCall('pg_array_position', ...args);
}
