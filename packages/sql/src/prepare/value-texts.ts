import { computedOnce, internalCall, kernelCall, operatorCall } from '../functions/expressions.ts';
import { returnsScalar } from '../functions/rewrite-function.ts';
import { byteaLiteral, isBareNull, mayFoldToNull, withTypeOf } from '../rewrites/literals.ts';
import { isTimeType } from '../text/time-text.ts';
import {
  type CastNode,
  caseOf,
  cast,
  column,
  comparison,
  constant,
  type Expression,
  type FunctionNode,
  lambda,
  type Statement,
  someExpression,
  stringLiteral,
  type TypeNode,
  type WindowNode,
  walkTree,
} from '../tree.ts';
import { TEXT_READERS } from '../types/checked-cast.ts';
import { kindsFrom } from './column-facts.ts';
import type { CatalogColumns, FactsOf } from './column-scope.ts';
import { rewriteInScope } from './scoped-expressions.ts';
import { isRepeatable, type KindOfColumn, type ValueKind, valueKind } from './value-kind.ts';

const INTEGERS: ReadonlySet<string> = new Set(['SMALLINT', 'INTEGER', 'BIGINT']);

/** The types of casts that write or read texts. */
const TEXTS_OR_READ: ReadonlySet<string> = new Set([
  ...INTEGERS,
  ...[
    'VARCHAR',
    'DECIMAL',
    'FLOAT',
    'DOUBLE',
    'BOOLEAN',
    'DATE',
    'TIME',
    'TIMESTAMP',
    'TIMESTAMP WITH TIME ZONE',
    'LIST',
    'BLOB',
    'INTERVAL',
  ],
]);

/** The parser writes `true` as `'t'::BOOLEAN`. */
const isWrittenBoolean = (node: Expression): boolean => /^[tf]$/.test(stringLiteral(node) ?? '');

/** Functions that write their arguments as text, with the number of arguments that they write. */
const JOINED: Readonly<Record<string, number>> = {
  '||': 2,
  concat: Number.POSITIVE_INFINITY,
  concat_ws: Number.POSITIVE_INFINITY,
  string_agg: 1,
  listagg: 1,
  group_concat: 1,
};

/**
 * The functions that write byte strings and arrays too (`||` concatenates them, and `string_agg` keeps their type), and booleans as
 * `t` and `f` (`||` writes `true`).
 */
const WRITES_ALL: ReadonlySet<string> = new Set(['concat', 'concat_ws']);

/**
 * Writes values as PostgreSQL does where they become texts: floating-point numbers (`1`, `NaN`, `Infinity`, `1e+15`, for which the
 * kernel writes `1.0`, `nan`, `inf` and `1000000000000000.0`), byte strings (`\x6162` for `ab`), arrays (`{a,"b c"}` for
 * `[a, b c]`), intervals (`2 mons` for `2 months`), dates (`0044-03-15 BC` for `0044-03-15 (BC)`) and rows (`(1,"a b")` for `(1, a b)`). Refuses texts such as `5.0` and `1e3` as
 * integers, which the kernel reads as numbers, `1e400` as a floating-point number, and `2024-01-01 x` and `10:00 pm` as a date and a time, whose ends it ignores:
 *     d::text     →   tsr_text(d)
 *     a::text     →   tsr_array_text(a)
 *     'x' || d    →   'x' || tsr_text(d)
 *     s::integer  →   CASE WHEN tsr_is_text(s) THEN CAST(tsr_integer_text(CAST(s AS VARCHAR)) AS INTEGER) ELSE CAST(s AS INTEGER) END
 * The conditions on types are constants for the kernel's optimizer. Only a cast may stand over an expression of unknown type.
 * Elsewhere, the text of the query and the catalog must say what the operand is.
 * @param outermost see `rewriteInScope`
 */
export function valueTexts(statement: Statement, catalog: CatalogColumns, outermost: FactsOf): Statement {
  if (!makesText(statement)) return statement;
  return rewriteInScope(statement, catalog, outermost, (node, factsOf) => textForm(node, kindsFrom(factsOf)));
}

/** The part of `valueTexts` that gives types to concatenations with NULL. */
export function typedConcatenations(
  statement: Statement,
  catalog: CatalogColumns,
  outermost: FactsOf,
): Statement {
  const isConcatenation = (node: Expression): node is FunctionNode =>
    node.class === 'FUNCTION' && node.function_name === '||' && node.children.some(mayFoldToNull);
  if (!someExpression(statement, isConcatenation)) return statement;
  return rewriteInScope(statement, catalog, outermost, (node, factsOf) =>
    isConcatenation(node) ? typedConcatenation(node, kindsFrom(factsOf)) : node,
  );
}

function makesText(statement: Statement): boolean {
  return someExpression(statement, (node) => {
    if (node.class === 'CAST') return TEXTS_OR_READ.has(node.cast_type.id) && !isPlainText(node);
    return (node.class === 'FUNCTION' || node.class === 'WINDOW') && isJoined(node);
  });
}

const isJoined = ({ function_name }: FunctionNode | WindowNode): boolean =>
  Object.hasOwn(JOINED, function_name);

function textForm(node: Expression, ofColumn: KindOfColumn): Expression {
  if (node.class === 'CAST') return castForm(node, ofColumn);
  if ((node.class !== 'FUNCTION' && node.class !== 'WINDOW') || !isJoined(node)) return node;
  const appended = node.class === 'FUNCTION' ? withElement(node, ofColumn) : undefined;
  if (appended !== undefined) return appended;
  const count = JOINED[node.function_name]!;
  const isText = WRITES_ALL.has(node.function_name);
  const children = node.children.map((child, i) => {
    if (i >= count || isWrittenNumber(child)) return child;
    const kind = valueKind(child, ofColumn);
    if (isText && kind === 'boolean')
      return kernelCall('left', cast({ ...child, alias: '' }, 'VARCHAR'), constant(1));
    return kind === 'float' ||
      kind === 'interval' ||
      isMoment(kind) ||
      (isText && (kind === 'bytea' || kind === 'array'))
      ? textOf(child, kind)
      : child;
  });
  const joined = children.every((child, i) => child === node.children[i]) ? node : { ...node, children };
  return joined.class === 'FUNCTION' && joined.function_name === '||'
    ? typedConcatenation(joined, ofColumn)
    : joined;
}

/**
 * The kernel gives no type to a concatenation with an operand that is certainly NULL. It gets the type of its operands:
 *     x || NULL::text   →   CAST(x || NULL::text AS VARCHAR)
 *     x || upper(NULL)  →   CASE WHEN false THEN x ELSE x || upper(NULL) END, if the type of x is unknown
 */
function typedConcatenation(node: FunctionNode, ofColumn: KindOfColumn): Expression {
  const { children, alias, query_location } = node;
  if (!children.some(mayFoldToNull)) return node;
  const kinds = children.map((child) => valueKind(child, ofColumn));
  const type = kinds.includes('bytea') ? 'BLOB' : kinds.includes('text') ? 'VARCHAR' : undefined;
  if (type !== undefined && !kinds.includes('array'))
    return { ...cast({ ...node, alias: '' }, type), alias, query_location };
  const typed = children.filter((child) => !isBareNull(child));
  const known = typed.filter((child) => !mayFoldToNull(child));
  return withTypeOf(node, known.length > 0 ? known : typed);
}

/**
 * `array || element` → `list_append(array, element)`, `element || array` → `list_prepend(element, array)`, and `array || array` →
 * `list_concat(array, array)`, for which NULL has no elements; the concatenation of two NULLs is NULL. A literal beside a byte string
 * is one too: `bytes || '\x61'` → `bytes || CAST('\x61' AS BLOB)`
 */
function withElement(
  { function_name, children }: FunctionNode,
  ofColumn: KindOfColumn,
): Expression | undefined {
  const [left, right] = children;
  if (function_name !== '||' || left === undefined || right === undefined) return undefined;
  const isBytes = (node: Expression) => valueKind(node, ofColumn) === 'bytea';
  if ((isBytes(left) && isText(right)) || (isText(left) && isBytes(right)))
    return operatorCall('||', asBytes(left), asBytes(right));
  const isElement = (node: Expression) => {
    if (isText(node)) return false;
    const kind = valueKind(node, ofColumn);
    if (kind === 'computed' || kind === 'unknown')
      return isElementOfArray(node, ofColumn) || (node.class === 'FUNCTION' && isScalarCall(node, kind));
    return kind !== 'array' && kind !== 'null' && kind !== 'other';
  };
  const isArray = (node: Expression) => /^(?:array|null)$/.test(valueKind(node, ofColumn));
  if (isArray(left) && isArray(right) && [left, right].some((side) => valueKind(side, ofColumn) === 'array'))
    return joinedArrays(left, right);
  if (valueKind(left, ofColumn) === 'array')
    return isElement(right) ? kernelCall('list_append', left, right) : undefined;
  return valueKind(right, ofColumn) === 'array' && isElement(left)
    ? kernelCall('list_prepend', left, right)
    : undefined;
}

/** Whether an expression is `a[i]` for an array. */
const isElementOfArray = (node: Expression, ofColumn: KindOfColumn): boolean =>
  node.class === 'OPERATOR' &&
  node.type === 'ARRAY_EXTRACT' &&
  valueKind(node.children[0]!, ofColumn) === 'array';

const isText = (node: Expression): boolean => node.class === 'CONSTANT' && stringLiteral(node) !== undefined;

const asBytes = (node: Expression): Expression => (isText(node) ? byteaLiteral(cast(node, 'BLOB')) : node);

function joinedArrays(left: Expression, right: Expression): Expression {
  const joined = kernelCall('list_concat', left, right);
  if ([left, right].some(isLiteralArray)) return joined;
  return isRepeatable(left) && isRepeatable(right)
    ? internalCall('joined_arrays', left, right)
    : computedOnce([left, right], (operands) => internalCall('joined_arrays', ...operands));
}

/** Whether a call certainly returns no array: arithmetic, or a function whose signatures say so. */
const isScalarCall = ({ function_name }: FunctionNode, kind: ValueKind): boolean =>
  kind === 'computed' || returnsScalar(function_name);

/** Whether an operand is a literal with a decimal point, which keeps its digits: `'x' || 1.0` is `x1.0`. */
const isWrittenNumber = (node: Expression): boolean =>
  node.class === 'CAST' && node.child.class === 'CONSTANT' && /\./.test(stringLiteral(node.child) ?? '');

function castForm(node: CastNode, ofColumn: KindOfColumn): Expression {
  const { child, cast_type } = node;
  if (cast_type.id === 'BOOLEAN' && valueKind(child, ofColumn) === 'text' && !isWrittenBoolean(child))
    return { ...node, child: internalCall('boolean_text', child) };
  if (cast_type.id === 'DECIMAL') return exactDecimal(node, ofColumn);
  if (cast_type.id !== 'VARCHAR') return checkedText(node, ofColumn);
  const kind = valueKind(child, ofColumn);
  const mayBeFloat = kind === 'computed' || (kind === 'unknown' && isRepeatable(child));
  if (child.class === 'FUNCTION' && child.function_name === 'row') return rowText(child);
  const isWritten =
    kind === 'float' || kind === 'bytea' || kind === 'array' || kind === 'interval' || isMoment(kind);
  return isWritten || (mayBeFloat && isTyped(child)) ? textOf(child, kind) : node;
}

/**
 * A floating-point number becomes the decimal that its digits say: 1.005 is 1.01 with two decimals, as in PostgreSQL. The kernel
 * multiplies by a power of ten first, so that it would be 1.00, and 1e15 would be 999999999999999.983222784. This makes a
 * difference for numbers with about a half after the last decimal, which are converted in two parts, and for numbers with
 * more digits than a double holds, which are converted as text:
 *     d::numeric(10, 2)   →   CASE WHEN tsr_is_exact(d, 2) THEN CAST(d AS DECIMAL(10, 2))
 *                             WHEN tsr_is_sum(d, 2) THEN tsr_decimal_whole(d) + tsr_decimal_fraction(d, 2)
 *                             ELSE CAST(tsr_decimal_text(d) AS DECIMAL(10, 2)) END
 */
function exactDecimal(node: CastNode, ofColumn: KindOfColumn): Expression {
  const { child, cast_type } = node;
  const { type_info } = cast_type;
  const kind = valueKind(child, ofColumn);
  const mayBeFloat = kind === 'float' || ((kind === 'computed' || kind === 'unknown') && isTyped(child));
  if (!mayBeFloat || (kind !== 'float' && !isRepeatable(child)) || type_info?.type !== 'DECIMAL_TYPE_INFO')
    return node;
  const scale = constant(type_info.scale);
  return onceOnly(child, (once) => {
    const converted = (value: Expression): CastNode => ({ ...node, alias: '', child: value });
    const fraction = internalCall('decimal_fraction', once, scale);
    const part: TypeNode = { ...cast_type, type_info: { ...type_info, width: 18 } };
    const sum = operatorCall(
      '+',
      converted(internalCall('decimal_whole', once)),
      cast(fraction, type_info.scale < 18 ? part : cast_type),
    );
    return caseOf(
      [
        [internalCall('is_exact', once, scale), converted(once)],
        [internalCall('is_sum', once, scale), converted(sum)],
      ],
      converted(internalCall('decimal_text', once)),
    );
  });
}

const textOf = (value: Expression, kind: ValueKind): Expression =>
  onceOnly(value, (operand) => internalCall(`${MACRO_OF[kind] ?? ''}text`, operand));

/** The prefix of the macro that writes values of a kind; the one without a prefix writes all others. */
const MACRO_OF: Readonly<Partial<Record<ValueKind, string>>> = {
  array: 'array_',
  interval: 'interval_',
  date: 'moment_',
  timestamp: 'moment_',
};

/** Whether values are dates or have one, whose era the kernel writes as `(BC)`. */
const isMoment = (kind: ValueKind): boolean => kind === 'date' || kind === 'timestamp';

/** `ROW(1, 'a b')::text` → `(1,"a b")` */
function rowText({ children }: FunctionNode): Expression {
  const items = children.map((child) => {
    const isRow = child.class === 'FUNCTION' && child.function_name === 'row';
    return internalCall('row_item', isRow ? rowText(child) : { ...child, alias: '' });
  });
  const text = items.flatMap((item, i) => (i === 0 ? [item] : [constant(','), item]));
  return kernelCall('concat', constant('('), ...text, constant(')'));
}

/** A text that the kernel and PostgreSQL read alike as an integer. */
const PLAIN_INTEGER = /^\s*[-+]?\d+\s*$/;

/** The macro for the texts that are cast to a type; `castForm` has one of its own for booleans. */
const readerOf = (id: string): string | undefined => (id === 'BOOLEAN' ? undefined : TEXT_READERS[id]);

/** The types whose literals `byteaLiteral`, `intervalLiteral` and `checkDoubleText` have read. */
const READ_LITERALS: ReadonlySet<string> = new Set(['BLOB', 'INTERVAL', 'FLOAT', 'DOUBLE']);

/** Whether a literal needs no check. `timeLiteral` has read those of dates and times. */
function isPlainText({ child, cast_type: { id } }: CastNode): boolean {
  const text = child.class === 'CONSTANT' ? stringLiteral(child) : undefined;
  if (text === undefined) return false;
  return isTimeType(id) || READ_LITERALS.has(id) || (INTEGERS.has(id) && PLAIN_INTEGER.test(text));
}

function checkedText(node: CastNode, ofColumn: KindOfColumn): Expression {
  const { child, cast_type } = node;
  if (cast_type.type_info?.type === 'LIST_TYPE_INFO')
    return readsArray(node, ofColumn)
      ? arrayOfText(node, cast_type.type_info)
      : checkedElements(node, cast_type.type_info);
  const reader = readerOf(cast_type.id);
  if (reader === undefined || isPlainText(node)) return node;
  const kind = valueKind(child, ofColumn);
  if (kind === 'text') return { ...node, child: onceOnly(child, (text) => kernelCall(reader, text)) };
  if (kind !== 'unknown' || !isTyped(child) || !isRepeatable(child)) return node;
  const text = kernelCall(reader, cast(child, 'VARCHAR'));
  const unnamed = { ...node, alias: '' };
  return caseOf([[internalCall('is_text', child), { ...unnamed, child: text }]], unnamed);
}

/** Whether a text that is no literal is cast to an array. */
const readsArray = ({ child, try_cast }: CastNode, ofColumn: KindOfColumn): boolean =>
  !try_cast && child.class !== 'CONSTANT' && valueKind(child, ofColumn) === 'text';

/** `t::integer[]` → `list_transform(tsr_array_reading(t), lambda e: e::integer)`: the kernel only reads arrays in square brackets. */
function arrayOfText(node: CastNode, { child_type: element }: ListInfo): Expression {
  const { child, alias, query_location } = node;
  if (element.id === 'LIST')
    return { ...node, child: onceOnly(child, (text) => internalCall('nested_array_reading', text)) };
  const texts = internalCall('array_reading', child);
  if (element.id !== 'BOOLEAN' && readerOf(element.id) === undefined) return { ...node, child: texts };
  const item = castForm(cast(column(ITEM), element), () => 'text');
  return { ...kernelCall('list_transform', texts, lambda([ITEM], item)), alias, query_location };
}

/**
 * A cast of an array of texts casts its elements, so that each is checked:
 *     x::date[]   →   CASE WHEN typeof(x) = 'VARCHAR[]' THEN list_transform(CAST(x AS VARCHAR[]), lambda e: e::date) ELSE x::date[] END
 */
function checkedElements(node: CastNode, type_info: ListInfo): Expression {
  const { child, cast_type } = node;
  const { child_type: element } = type_info;
  const isChecked = element.id === 'BOOLEAN' || readerOf(element.id) !== undefined;
  if (!isChecked || isLiteralArray(child) || !isTyped(child)) return node;
  if (!isRepeatable(child))
    return onceOnly(child, (once) => checkedElements({ ...node, child: once }, type_info));
  const texts = cast(child, { ...cast_type, type_info: { ...type_info, child_type: TEXT } });
  const item = castForm(cast(column(ITEM), element, node.try_cast), () => 'text');
  const isTexts = comparison('COMPARE_EQUAL', kernelCall('typeof', child), constant('VARCHAR[]'));
  return caseOf([[isTexts, kernelCall('list_transform', texts, lambda([ITEM], item))]], {
    ...node,
    alias: '',
  });
}

type ListInfo = Extract<NonNullable<TypeNode['type_info']>, { type: 'LIST_TYPE_INFO' }>;

const TEXT: TypeNode = { id: 'VARCHAR', type_info: null };
const ITEM = 'tsr_item';

/** Whether an array is a literal, whose elements are cast one by one, or a series. */
const isLiteralArray = (node: Expression): boolean =>
  (node.class === 'OPERATOR' && node.type === 'ARRAY_CONSTRUCTOR') ||
  (node.class === 'FUNCTION' && /^(?:list_value|generate_series|range)$/.test(node.function_name));

/** Whether neither NULL nor a parameter decides the type of an expression. */
function isTyped(node: Expression): boolean {
  let isOpen = node.class === 'CONSTANT';
  walkTree(node, (part) => {
    isOpen ||= 'class' in part && part.class === 'PARAMETER';
  });
  return !isOpen;
}

/** `form(value)`, in which a value that is not repeatable is computed once. */
export function onceOnly(value: Expression, form: (operand: Expression) => Expression): Expression {
  const operand = { ...value, alias: '' };
  return isRepeatable(operand)
    ? form(operand)
    : computedOnce([operand], ([once]) => form(once!), 'tsr_value');
}
