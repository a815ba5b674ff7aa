import { fail } from '@tessera/common';
import { internalCall, kernelCall } from '../functions/expressions.ts';
import {
  containsJson,
  equalsJson,
  isContainedInJson,
  isPathKey,
  isSameJson,
} from '../rewrites/jsonb-conditions.ts';
import { JSON_OPERATORS } from '../text/json-operators.ts';
import { parseArrayText } from '../text/postgres-array.ts';
import {
  type CastNode,
  cast,
  comparison,
  constant,
  type Expression,
  type FunctionNode,
  operator,
  or,
  type Statement,
  stringLiteral,
  type TypeNode,
  walkTree,
} from '../tree.ts';
import { type JsonValue, jsonbText, parseJson } from '../types/jsonb-text.ts';
import { typeNode } from '../types/type-node.ts';
import type { CatalogColumns } from './column-scope.ts';
import { type DeclaredOf, isDocument, isJsonb, isJsonbType } from './jsonb-type.ts';
import { type FactsOf, rewriteInScope } from './scoped-expressions.ts';

const JSON_TYPE = typeNode({ kind: 'json' });
const TEXTS = typeNode({ kind: 'array', element: { kind: 'text' } });

/** PostgreSQL's names of `JSON_OPERATORS`, by the operator that the kernel's parser reads. */
const SYMBOLS: ReadonlyMap<string, string> = new Map(
  Object.entries(JSON_OPERATORS).map(([symbol, read]) => [read, symbol]),
);
const FUNCTIONS: ReadonlySet<string> = new Set([
  'to_jsonb',
  'jsonb_build_object',
  'jsonb_build_array',
  'jsonb_typeof',
  'json_typeof',
  'jsonb_array_length',
  'jsonb_extract_path',
  'jsonb_extract_path_text',
]);

/**
 * Translates the operators, functions and casts of `jsonb` into expressions of the kernel:
 *     doc -> 'a'                      becomes   json_extract(doc, '$."a"')
 *     doc = '{"b": 1, "a": 2}'        compares the documents, in which the order of keys does not count
 *     doc @> '{"a": [1]}'             becomes the conditions that the parts of the constant stand for
 *     doc::text                       writes blanks behind commas and colons, as PostgreSQL does
 * Where both operands are text for the kernel, only the declared type of a column tells whether `=` compares documents.
 * @throws TesseraError CAST_ERROR for an invalid document, NOT_SUPPORTED
 */
export function jsonbForms(
  statement: Statement,
  catalog: CatalogColumns,
  outermost: FactsOf,
  hasJsonb: boolean,
): Statement {
  if (!hasJsonb && !mentionsJsonb(statement)) return statement;
  return rewriteInScope(statement, catalog, outermost, (node, factsOf) =>
    formOf(node, (ref) => factsOf(ref)?.declared),
  );
}

function mentionsJsonb(statement: Statement): boolean {
  let found = false;
  walkTree(statement, (node) => {
    if (!('class' in node) || found) return;
    if (node.class === 'CAST') found = isJsonbType(node.cast_type);
    else if (node.class === 'FUNCTION')
      found = SYMBOLS.has(node.function_name) || FUNCTIONS.has(node.function_name);
  });
  return found;
}

function formOf(node: Expression, declaredOf: DeclaredOf): Expression {
  const holds = (child: Expression | undefined): boolean => child !== undefined && isJsonb(child, declaredOf);
  const isCompared = (child: Expression | undefined): boolean =>
    child !== undefined && isDocument(child, declaredOf);
  switch (node.class) {
    case 'CAST':
      return castForm(node, holds(node.child));
    case 'COMPARISON': {
      const { left, right, type } = node;
      if (!isCompared(left) && !isCompared(right)) return node;
      const [document, other] = isCompared(left) ? [left, right] : [right, left];
      const turned = document === left ? type : (TURNED[type] ?? type);
      return compared(document, turned, other) ?? node;
    }
    case 'OPERATOR':
      return /^COMPARE_(?:NOT_)?IN$/.test(node.type) && isCompared(node.children[0])
        ? inList(node.type, node.children)
        : node;
    case 'FUNCTION':
      return callForm(node, holds);
    default:
      return node;
  }
}

function callForm(node: FunctionNode, holds: (child: Expression | undefined) => boolean): Expression {
  const [left, right] = node.children;
  const name = node.function_name;
  if (left !== undefined && right !== undefined) {
    const symbol = SYMBOLS.get(name);
    if (symbol !== undefined) return jsonOperator(symbol, left, right, holds(left));
    const isOfDocuments = holds(left) || holds(right);
    // `@>` and `<@` are this call for arrays, and stay operators beside an open parameter.
    if (isOfDocuments && (name === '@>' || name === 'tsr_pg_array_contains'))
      return contained(left, right, '@>');
    if (isOfDocuments && name === '<@') return contained(left, right, '<@');
    if (isOfDocuments && (name === '||' || name === '-'))
      fail('NOT_SUPPORTED', { what: `The operator ${name} of jsonb` });
  }
  return FUNCTIONS.has(name) ? jsonFunction(name, node.children, holds) : node;
}

/** `a < b` is `b > a`. */
const TURNED: Readonly<Record<string, string>> = {
  COMPARE_LESSTHAN: 'COMPARE_GREATERTHAN',
  COMPARE_GREATERTHAN: 'COMPARE_LESSTHAN',
  COMPARE_LESSTHANOREQUALTO: 'COMPARE_GREATERTHANOREQUALTO',
  COMPARE_GREATERTHANOREQUALTO: 'COMPARE_LESSTHANOREQUALTO',
};

/** The text of a literal, also under casts; undefined for anything else. */
function literalOf(node: Expression): string | undefined {
  if (node.class === 'FUNCTION' && node.function_name === 'tsr_jsonb') return literalOf(node.children[0]!);
  if (node.class === 'CAST' && isDocumentType(node.cast_type)) return literalOf(node.child);
  return stringLiteral(node);
}

/** Whether a document is NULL or a parameter without a value, also under casts. */
function isOpen(node: Expression): boolean {
  if (node.class === 'FUNCTION' && node.function_name === 'tsr_jsonb') return isOpen(node.children[0]!);
  if (node.class === 'CAST' && isDocumentType(node.cast_type)) return isOpen(node.child);
  return node.class === 'PARAMETER' || (node.class === 'CONSTANT' && node.value.is_null);
}

const isDocumentType = (type: TypeNode): boolean =>
  type.id === 'VARCHAR' ||
  isJsonbType(type) ||
  (type.type_info?.type === 'UNBOUND_TYPE_INFO' && /^json$/i.test(type.type_info.name));

const constantOf = (node: Expression): JsonValue | undefined => {
  const text = literalOf(node);
  return text === undefined ? undefined : parseJson(text);
};

function castForm(node: CastNode, isKnown: boolean): Expression {
  const { child, cast_type, try_cast } = node;
  if (!isJsonbType(cast_type))
    return isKnown && cast_type.id === 'VARCHAR' ? internalCall('jsonb_text', child) : node;
  if (isKnown) return child;
  const text = literalOf(child);
  if (text !== undefined && !try_cast)
    return internalCall('jsonb', cast(constant(jsonbText(text)), JSON_TYPE));
  const hasNoValue = child.class === 'PARAMETER' || (child.class === 'CONSTANT' && child.value.is_null);
  if (hasNoValue || try_cast) return internalCall('jsonb', cast(child, JSON_TYPE, try_cast));
  return internalCall('to_jsonb', child);
}

/** A comparison of a document; undefined if the kernel's comparison of texts does. */
function compared(document: Expression, type: string, other: Expression): Expression | undefined {
  if (other.class === 'PARAMETER')
    return { ...comparison(type, document, cast(other, JSON_TYPE)), query_location: other.query_location };
  const value = constantOf(other);
  switch (type) {
    case 'COMPARE_EQUAL':
      return value && equalsJson(document, value);
    case 'COMPARE_NOTEQUAL':
      return value && operator('OPERATOR_NOT', equalsJson(document, value));
    case 'COMPARE_NOT_DISTINCT_FROM':
      return value && isSameJson(document, value);
    case 'COMPARE_DISTINCT_FROM':
      return value && operator('OPERATOR_NOT', isSameJson(document, value));
    default: {
      const bound = value === undefined ? other : cast(constant(jsonbText(literalOf(other)!)), JSON_TYPE);
      return comparison(type, internalCall('jsonb_order', document), internalCall('jsonb_order', bound));
    }
  }
}

/** `doc IN (a, b)` → `doc = a OR doc = b` */
function inList(type: string, [document, ...values]: readonly Expression[]): Expression {
  const found = or(
    ...values.map(
      (value) => compared(document!, 'COMPARE_EQUAL', value) ?? comparison('COMPARE_EQUAL', document!, value),
    ),
  );
  return type === 'COMPARE_IN' ? found : operator('OPERATOR_NOT', found);
}

function contained(left: Expression, right: Expression, symbol: '@>' | '<@'): Expression {
  const onRight = constantOf(right);
  if (onRight !== undefined)
    return symbol === '@>' ? containsJson(left, onRight) : isContainedInJson(left, onRight);
  const onLeft = constantOf(left);
  if (onLeft !== undefined)
    return symbol === '@>' ? isContainedInJson(right, onLeft) : containsJson(right, onLeft);
  // NULL gives NULL. Parameters are open only while the statement is described.
  if (isOpen(right) || isOpen(left))
    return kernelCall('json_contains', cast(left, JSON_TYPE), cast(right, JSON_TYPE));
  return fail('NOT_SUPPORTED', {
    what: `${symbol} between two documents of which neither is a constant`,
    hint: 'compare with a literal or a parameter',
  });
}

function jsonOperator(symbol: string, left: Expression, right: Expression, isDocument: boolean): Expression {
  switch (symbol) {
    case '->':
      return part(left, right);
    case '->>':
      return shown(part(left, right), isDocument);
    case '#>':
      return partAt(left, right);
    case '#>>':
      return shown(partAt(left, right), isDocument);
    case '?':
      return kernelCall('list_contains', internalCall('json_names', left), cast(right, 'VARCHAR'));
    case '?|':
      return kernelCall('list_has_any', internalCall('json_names', left), textsOf(right));
    case '?&':
      return kernelCall('list_has_all', internalCall('json_names', left), textsOf(right));
    default:
      return fail('NOT_SUPPORTED', { what: `The operator ${symbol} of jsonb` });
  }
}

/** The text of a part of a document: NULL for JSON's null, and strings without quotes. */
const shown = (value: Expression, isDocument: boolean): Expression =>
  isDocument ? internalCall('json_shown', value) : kernelCall('json_extract_string', value, constant('$'));

/** `document -> key`: a text is a key of an object, and an integer is a position in an array. */
function part(document: Expression, key: Expression): Expression {
  const name = stringLiteral(key);
  if (name !== undefined && isPathKey(name))
    return kernelCall('json_extract', document, constant(`$."${name}"`));
  return isInteger(key)
    ? internalCall('json_item', document, key)
    : internalCall('json_member', document, cast(key, 'VARCHAR'));
}

const INTEGERS: ReadonlySet<string> = new Set(['TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT']);

function isInteger(node: Expression): boolean {
  if (node.class === 'CAST') return INTEGERS.has(node.cast_type.id);
  if (node.class === 'CONSTANT') return INTEGERS.has(node.value.type.id);
  return node.class === 'FUNCTION' && node.is_operator && node.children.every(isInteger);
}

/** `document #> '{a,0}'`: each text is a key of an object or a position in an array. */
function partAt(document: Expression, path: Expression): Expression {
  const steps = textsIn(path);
  if (steps !== undefined)
    return steps.reduce((found: Expression, step) => internalCall('json_step', found, step), document);
  if (path.class === 'PARAMETER')
    return kernelCall(
      'json_extract',
      document,
      kernelCall('array_to_string', cast(path, TEXTS), constant('/')),
    );
  return fail('NOT_SUPPORTED', { what: '#> and #>> with a path that is no constant' });
}

/** The items of a constant array of texts; undefined for another expression. */
function textsIn(node: Expression): readonly Expression[] | undefined {
  const text = stringLiteral(node);
  if (text !== undefined) return arrayItems(text);
  if (node.class === 'CAST') return textsIn(node.child);
  const isList =
    (node.class === 'FUNCTION' && node.function_name === 'list_value') ||
    (node.class === 'OPERATOR' && node.type === 'ARRAY_CONSTRUCTOR');
  return isList ? node.children.map((child) => cast(child, 'VARCHAR')) : undefined;
}

function arrayItems(text: string): readonly Expression[] {
  try {
    return parseArrayText(text).map((item) =>
      typeof item === 'string' || item === null ? cast(constant(item), 'VARCHAR') : notFlat(text),
    );
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return notFlat(text);
  }
}

const notFlat = (text: string): never =>
  fail('CAST_ERROR', { message: `malformed array literal: "${text}"` });

/** An array of texts without NULL, which is no key. */
function textsOf(node: Expression): Expression {
  const items = textsIn(node)?.filter(
    (item) => !(item.class === 'CAST' && item.child.class === 'CONSTANT' && item.child.value.is_null),
  );
  return cast(items === undefined ? node : kernelCall('list_value', ...items), TEXTS);
}

function jsonFunction(
  name: string,
  args: readonly Expression[],
  holds: (child: Expression | undefined) => boolean,
): Expression {
  const [first] = args;
  if (first === undefined && !name.includes('build')) return kernelCall(name);
  switch (name) {
    case 'to_jsonb':
      return holds(first) ? first! : internalCall('to_jsonb_value', first);
    case 'jsonb_build_object':
      return internalCall('to_jsonb_value', kernelCall('json_object', ...args));
    case 'jsonb_build_array':
      return internalCall('to_jsonb_value', kernelCall('json_array', ...args));
    case 'jsonb_typeof':
    case 'json_typeof':
      return internalCall('jsonb_typeof', documentOf(first!));
    case 'jsonb_array_length':
      return cast(kernelCall('json_array_length', documentOf(first!)), 'INTEGER');
    default: {
      const found = args
        .slice(1)
        .reduce((at, step) => internalCall('json_step', at, step), documentOf(first!));
      return name === 'jsonb_extract_path' ? found : shown(found, true);
    }
  }
}

/** A literal in the place of a document. */
function documentOf(node: Expression): Expression {
  const text = literalOf(node);
  return text === undefined ? node : internalCall('jsonb', cast(constant(jsonbText(text)), JSON_TYPE));
}
