import { onceParts } from '../functions/expressions.ts';
import {
  type ColumnRefNode,
  type Expression,
  type FunctionNode,
  type QueryNode,
  stringLiteral,
  type WindowNode,
  walkTree,
} from '../tree.ts';

/**
 * The type of an expression, as far as its text tells: `float` for REAL and DOUBLE PRECISION, `number` for the other numbers,
 * `null` for the literal NULL, `computed` for a value whose type is open, but which is no text that a user wrote: the result of
 * arithmetic, a window or a subquery.
 */
export type ValueKind =
  | 'float'
  | 'number'
  | 'computed'
  | 'text'
  | 'bytea'
  | 'array'
  | 'boolean'
  | 'interval'
  | 'date'
  | 'time'
  | 'timestamp'
  | 'null'
  | 'other'
  | 'unknown';

/** The kind of a column, or of the only column of a query, or of the elements of one that is an array; undefined if it is unknown. */
export type KindOfColumn = (of: ColumnRefNode | QueryNode, part?: 'element') => ValueKind | undefined;

const NUMBERS = /^(?:U?(?:TINY|SMALL|BIG|HUGE)INT|U?INTEGER|DECIMAL\b.*)$/;

/** The kind of a type of the kernel. */
export function kindOfType(type: string): ValueKind {
  if (type === 'DOUBLE' || type === 'FLOAT') return 'float';
  if (type === 'VARCHAR') return 'text';
  if (type === 'BLOB') return 'bytea';
  if (type === 'BOOLEAN') return 'boolean';
  if (type === 'INTERVAL') return 'interval';
  if (type === 'DATE') return 'date';
  if (type === 'TIME') return 'time';
  if (/^TIMESTAMP(?: WITH TIME ZONE)?$/.test(type)) return 'timestamp';
  if (type === 'LIST' || type.endsWith(']')) return 'array';
  return NUMBERS.test(type) ? 'number' : 'other';
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const NO_COLUMNS: KindOfColumn = () => undefined;

/**
 * The kinds of expressions that contain others. Each of several passes asks for the kind of each level of nested calls, which
 * would otherwise take the square of the number of levels.
 */
const known = new WeakMap<KindOfColumn, WeakMap<Expression, ValueKind>>();

/** The kind of a rewritten expression. */
export function valueKind(node: Expression, ofColumn: KindOfColumn = NO_COLUMNS): ValueKind {
  if (node.class === 'CONSTANT' || node.class === 'COLUMN_REF' || node.class === 'CAST')
    return kindOf(node, ofColumn);
  let kinds = known.get(ofColumn);
  if (kinds === undefined) {
    kinds = new WeakMap();
    known.set(ofColumn, kinds);
  }
  let kind = kinds.get(node);
  if (kind === undefined) {
    kind = kindOf(node, ofColumn);
    kinds.set(node, kind);
  }
  return kind;
}

function kindOf(node: Expression, ofColumn: KindOfColumn): ValueKind {
  const inner = (child: Expression) => valueKind(child, ofColumn);
  switch (node.class) {
    case 'CONSTANT':
      return node.value.is_null ? 'null' : kindOfType(node.value.type.id);
    case 'COLUMN_REF':
      return ofColumn(node) ?? 'unknown';
    case 'CAST':
      return kindOfType(node.cast_type.id);
    case 'COMPARISON':
    case 'BETWEEN':
      return 'boolean';
    case 'CONJUNCTION':
      return node.children.length === 1 ? inner(node.children[0]!) : 'boolean';
    case 'CASE':
      return commonKind([...node.case_checks.map(({ then_expr }) => then_expr), node.else_expr].map(inner));
    case 'OPERATOR':
      if (node.type === 'OPERATOR_COALESCE') return commonKind(node.children.map(inner));
      if (node.type === 'ARRAY_CONSTRUCTOR') return 'array';
      if (node.type === 'ARRAY_SLICE' || node.type === 'OPERATOR_NULLIF') return inner(node.children[0]!);
      if (node.type === 'GROUPING_FUNCTION') return 'number';
      if (node.type === 'ARRAY_EXTRACT') return elementKind(node.children[0]!, ofColumn);
      return /^(?:OPERATOR_(?:IS_|NOT)|COMPARE_)/.test(node.type) ? 'boolean' : 'unknown';
    case 'FUNCTION':
      return node.function_name === 'unnest' && node.children[0] !== undefined
        ? elementKind(node.children[0], ofColumn)
        : kindOfCall(node, inner);
    case 'WINDOW':
      return kindOfWindow(node, inner);
    case 'SUBQUERY':
      return node.subquery_type === 'SCALAR' ? kindOfSubquery(node.subquery.node, ofColumn) : 'boolean';
    default:
      return 'unknown';
  }
}

/** The expressions whose values are the elements of an array; undefined for arrays that are made in other ways. */
export function elementsOf(array: Expression): readonly Expression[] | undefined {
  const isCall = array.class === 'FUNCTION' || array.class === 'WINDOW';
  if (isCall && /^(?:array_agg|list)$/.test(array.function_name)) return array.children.slice(0, 1);
  const isWritten =
    (array.class === 'OPERATOR' && array.type === 'ARRAY_CONSTRUCTOR') ||
    (array.class === 'FUNCTION' && array.function_name === 'list_value');
  return isWritten ? array.children : undefined;
}

/** The kind of the elements of an array. */
export function elementKind(array: Expression, ofColumn: KindOfColumn): ValueKind {
  const elements = elementsOf(array);
  if (elements !== undefined) {
    // A text literal takes the type of the other elements.
    const typed = elements.filter((element) => stringLiteral(element) === undefined);
    return commonKind((typed.length > 0 ? typed : elements).map((element) => valueKind(element, ofColumn)));
  }
  if (array.class === 'COLUMN_REF') return ofColumn(array, 'element') ?? 'unknown';
  if (array.class === 'SUBQUERY') return ofColumn(array.subquery.node, 'element') ?? 'unknown';
  const info = array.class === 'CAST' ? array.cast_type.type_info : undefined;
  return info?.type === 'LIST_TYPE_INFO' ? kindOfType(info.child_type.id) : 'unknown';
}

/** The kind of a scalar subquery. */
function kindOfSubquery(node: QueryNode, ofColumn: KindOfColumn): ValueKind {
  const kind = ofColumn(node) ?? 'unknown';
  return kind === 'unknown' ? 'computed' : kind;
}

/** Window functions that return their first argument, or the NULL or default value that takes its place. */
export const OF_ROWS = words('first_value last_value nth_value lag lead');

function kindOfWindow(node: WindowNode, inner: (child: Expression) => ValueKind): ValueKind {
  if (COUNTS.has(node.function_name)) return 'number';
  const [first] = node.children;
  if (first !== undefined && OF_ROWS.has(node.function_name)) return inner(first);
  const kind = kindOfCall(node, inner);
  return kind === 'unknown' ? 'computed' : kind;
}

/** The kind of the type that values of several kinds are converted to. NULL takes the type of the others. */
export function commonKind(all: readonly ValueKind[]): ValueKind {
  const kinds = all.filter((kind) => kind !== 'null');
  const [first = all.length > 0 ? 'null' : 'unknown'] = kinds;
  if (kinds.every((kind) => kind === first)) return first;
  return kinds.every((kind) => kind === 'float' || kind === 'number') ? 'float' : 'unknown';
}

const FLOATS = words(
  'acos asin atan atan2 avg cbrt cos cot degrees exp ln log log10 log2 pi pow power radians sin sqrt stddev_pop stddev_samp tan tsr_pg_acosd tsr_pg_asind tsr_pg_atan2d tsr_pg_atand tsr_pg_cosd tsr_pg_sind tsr_pg_tand ^ **',
);
const COUNTS = words(
  '& | << >> ~ bit_count count count_star dense_rank length ntile rank row_number strlen xor',
);
const ARITHMETIC = words('+ - * / // % @ abs ceil ceiling floor mod round sum trunc tsr_round');
/** Functions that return one of their arguments. */
const CHOOSING = words('any_value first greatest last least max min tsr_divisor');
const TEXTS = words(
  '->> ~>> concat concat_ws json_extract_string left lower lpad ltrim regexp_extract regexp_replace replace reverse right rpad rtrim string_agg trim tsr_json_as_text tsr_json_shown tsr_split_part upper chr md5 strftime to_hex translate tsr_array_joined_by tsr_convert_from tsr_joined_array tsr_joined_pairs tsr_jsonb_typeof tsr_lpad tsr_pg_initcap tsr_pg_overlay tsr_pg_quote_ident tsr_pg_quote_literal tsr_pg_to_hex tsr_regexp_extract tsr_regexp_replace tsr_regexp_replace_each tsr_regexp_replace_nth tsr_rpad',
);
const ARRAYS = words(
  'array_agg array_append array_distinct array_prepend array_push_back array_push_front array_reverse array_reverse_sort array_sort array_transform flatten list list_append list_concat list_distinct list_filter list_prepend list_reverse list_reverse_sort list_sort list_transform list_value regexp_extract_all regexp_split_to_array string_split string_to_array trim_array tsr_array_distinct tsr_array_enumerate tsr_joined_arrays tsr_pg_array_fill tsr_pg_array_positions tsr_pg_array_remove tsr_pg_array_replace tsr_pg_regexp_pieces tsr_pg_regexp_split tsr_pg_trim_array tsr_resized tsr_string_to_array',
);
const BYTES = words(
  'tsr_bytea_ltrim tsr_bytea_overlay tsr_bytea_rtrim tsr_bytea_trim encode from_base64 tsr_pg_set_byte tsr_pg_sha256 unhex',
);
/** The forms with a format. Those with one argument are the opposite. */
const CODED: Readonly<Record<string, readonly [ValueKind, ValueKind]>> = {
  tsr_decode: ['text', 'bytea'],
  tsr_encode: ['bytea', 'text'],
};
const INTERVALS = words(
  'age tsr_greatest_interval tsr_justify_days tsr_justify_hours tsr_justify_interval to_days to_hours to_microseconds to_minutes to_months to_seconds to_weeks to_years tsr_least_interval tsr_time_between',
);

const BOOLEANS = words(
  '~~ !~~ ~~* !~~* ~~~ @> <@ && bool_and bool_or contains isfinite like_escape list_contains list_has_all list_has_any not_like_escape prefix regexp_full_match regexp_matches starts_with suffix tsr_pg_any_equal tsr_pg_array_contains',
);
const TRUNCATED = words('date_trunc tsr_date_trunc tsr_date_trunc_years');
const TIMESTAMPS = words('current_timestamp now date_trunc');

/** The macros of `valueTexts`. */
export const VALUE_TEXTS = words(
  'tsr_text tsr_array_text tsr_integer_text tsr_interval_text tsr_moment_text tsr_row_item',
);

function kindOfCall(node: FunctionNode | WindowNode, inner: (child: Expression) => ValueKind): ValueKind {
  const { function_name, children } = node;
  const name = function_name.toLowerCase();
  if (FLOATS.has(name)) return 'float';
  if (COUNTS.has(name)) return 'number';
  if (BYTES.has(name)) return 'bytea';
  const coded = CODED[name]?.[children.length - 1];
  if (coded !== undefined) return coded;
  if (name === 'nullif' || name === 'repeat' || name === 'tsr_repeat')
    return children[0] === undefined ? 'unknown' : inner(children[0]);
  if (name === 'tsr_substring') return children[0] && inner(children[0]) === 'bytea' ? 'bytea' : 'text';
  if (TEXTS.has(name) || VALUE_TEXTS.has(name) || name.startsWith('tsr_to_char_')) return 'text';
  if (ARRAYS.has(name)) return 'array';
  if (BOOLEANS.has(name)) return 'boolean';
  if (INTERVALS.has(name)) return 'interval';
  if (CHOOSING.has(name)) return commonKind(children.map(inner));
  const once = onceParts(node);
  if (once !== undefined) {
    const kind = inner(once.form);
    return kind === 'unknown' ? 'computed' : kind;
  }
  if (name === '||') {
    const kinds = children.map(inner);
    return (['text', 'array', 'bytea'] as const).find((kind) => kinds.includes(kind)) ?? 'unknown';
  }
  if (TRUNCATED.has(name) && children[1] !== undefined) {
    const kind = inner(children[1]);
    if (kind === 'interval' || kind === 'timestamp') return kind;
  }
  if (name === 'tsr_plus_interval') {
    const moved = children.map(inner);
    return timeKind('+', moved) ?? (commonKind(moved) === 'interval' ? 'interval' : 'timestamp');
  }
  if (TIMESTAMPS.has(name)) return 'timestamp';
  if (!ARITHMETIC.has(name)) return 'unknown';
  // The second argument of `round` is the number of digits.
  const kinds = (name === 'round' || name === 'trunc' ? children.slice(0, 1) : children).map(inner);
  const ofTimes = timeKind(name, kinds);
  if (ofTimes !== undefined) return ofTimes;
  const kind = commonKind(kinds);
  return kind === 'float' || kind === 'number' || kind === 'interval' ? kind : 'computed';
}

/** The kind of arithmetic with times and intervals; undefined for other operands. */
function timeKind(name: string, kinds: readonly ValueKind[]): ValueKind | undefined {
  const [left, right] = kinds;
  const isOf = (one: ValueKind, other: ValueKind) => left === one && right === other;
  if (name === '-' && (isOf('timestamp', 'timestamp') || isOf('time', 'time'))) return 'interval';
  if (isOf('timestamp', 'interval') || isOf('interval', 'timestamp')) return 'timestamp';
  if (isOf('date', 'interval') || isOf('interval', 'date')) return 'timestamp';
  if (isOf('time', 'interval') || isOf('interval', 'time')) return 'time';
  const isScaled = (name === '*' || name === '//') && kinds.includes('interval');
  return isScaled ? 'interval' : undefined;
}

/** Larger expressions would make a query too long if it contained them several times. */
const MAX_REPEATED_NODES = 40;

/**
 * Whether a query may contain an expression several times: it is small, returns the same value each time, and contains no
 * macro that repeats its own argument.
 */
export function isRepeatable(node: Expression): boolean {
  let nodes = 0;
  let isSafe = true;
  walkTree(node, (part) => {
    nodes += 1;
    isSafe &&= 'class' in part && isPure(part);
  });
  return isSafe && nodes <= MAX_REPEATED_NODES;
}

const CLASSES = words(
  'BETWEEN CASE CAST COLUMN_REF COMPARISON CONJUNCTION CONSTANT FUNCTION OPERATOR PARAMETER',
);

function isPure(node: Expression): boolean {
  if (node.class !== 'FUNCTION') return CLASSES.has(node.class);
  const name = node.function_name.toLowerCase();
  if (name === 'tsr_divisor') return false;
  return name === '||' || [FLOATS, COUNTS, ARITHMETIC, CHOOSING, TEXTS].some((known) => known.has(name));
}
