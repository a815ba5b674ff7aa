import { fail } from '@tessera/common';
import { internalCall, isNullLiteral, kernelCall, listType, operatorCall } from '../functions/expressions.ts';
import { builtAsJsonb } from '../functions/json.ts';
import {
  containsJson,
  equalsJson,
  isContainedInJson,
  isPathKey,
  isSameJson,
} from '../rewrites/jsonb-conditions.ts';
import { JSON_OPERATORS } from '../text/json-operators.ts';
import {
  type CastNode,
  call,
  caseOf,
  cast,
  comparison,
  constant,
  type Expression,
  type FunctionNode,
  type OperatorNode,
  operator,
  or,
  type Statement,
  someExpression,
  stringLiteral,
  type TypeNode,
  transformTree,
} from '../tree.ts';
import { type JsonValue, jsonbText, parseJson } from '../types/jsonb-text.ts';
import { typeNode } from '../types/type-node.ts';
import { kindsFrom } from './column-facts.ts';
import type { CatalogColumns, FactsOf } from './column-scope.ts';
import { partsAtPath } from './json-path.ts';
import {
  asJsonb,
  documentOf,
  isDocumentType,
  isJsonFunction,
  JSON_TYPE,
  jsonFunction,
  literalOf,
  ofArguments,
  shown,
  textsIn,
  withoutPath,
} from './jsonb-functions.ts';
import { withDocumentRows } from './jsonb-rows.ts';
import { type DeclaredOf, isDocument, isJsonb, isJsonbType, returnsJsonb } from './jsonb-type.ts';
import { operandsOf, withChildren, withOperands } from './operands.ts';
import { rewriteInScope } from './scoped-expressions.ts';
import { elementsOf, type KindOfColumn, type ValueKind, valueKind } from './value-kind.ts';

const TEXTS = typeNode({ kind: 'array', element: { kind: 'text' } });

/** PostgreSQL's names of `JSON_OPERATORS`, by the operator that the kernel's parser reads. */
const SYMBOLS: ReadonlyMap<string, string> = new Map(
  Object.entries(JSON_OPERATORS).map(([symbol, read]) => [read, symbol]),
);
/**
 * Translates the operators, functions and casts of `jsonb` into expressions of the kernel:
 *     doc -> 'a'                      becomes   json_extract(doc, '$."a"')
 *     doc = '{"b": 1, "a": 2}'        compares the documents, in which the order of keys does not count
 *     doc @> '{"a": [1]}'             becomes the conditions that the parts of the constant stand for
 *     doc::text                       writes blanks after commas and colons, as PostgreSQL does
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
  return rewriteInScope(
    transformTree(statement, { expression: withBuiltJsonb }),
    catalog,
    outermost,
    (node, factsOf) => formOf(node, (of) => factsOf(of)?.declared, kindsFrom(factsOf)),
    withDocumentRows,
  );
}

/** A cast to `jsonb`, or a call of a function of `jsonb`, of documents that `json_build_object` and `json_build_array` build. */
function withBuiltJsonb(node: Expression): Expression {
  if (node.class === 'CAST')
    return isJsonbType(node.cast_type) ? { ...node, child: builtAsJsonb(node.child) } : node;
  if (node.class !== 'FUNCTION' || !/^(?:to_)?jsonb(?:_|$)/.test(node.function_name)) return node;
  return { ...node, children: node.children.map(builtAsJsonb) };
}

function mentionsJsonb(statement: Statement): boolean {
  return someExpression(statement, (node) => {
    if (node.class === 'CAST') return isJsonbType(node.cast_type) || isArrayType(node.cast_type);
    if (node.class !== 'FUNCTION') return false;
    const { function_name } = node;
    return SYMBOLS.has(function_name) || isJsonFunction(function_name) || returnsJsonb(function_name);
  });
}

function formOf(node: Expression, declaredOf: DeclaredOf, ofColumn: KindOfColumn): Expression {
  const holds = (child: Expression | undefined): boolean => child !== undefined && isJsonb(child, declaredOf);
  const isCompared = (child: Expression | undefined): boolean =>
    child !== undefined && isDocument(child, declaredOf);
  switch (node.class) {
    case 'CAST':
      return castForm(node, holds);
    case 'COMPARISON': {
      const { left, right, type } = node;
      if (!isCompared(left) && !isCompared(right)) return node;
      const [document, other] = isCompared(left) ? [left, right] : [right, left];
      const turned = document === left ? type : (TURNED[type] ?? type);
      return ofArguments([document, other], holds, ([a, b]) => {
        const isNode = a === document && b === other;
        return compared(a!, turned, b!) ?? (isNode ? node : comparison(turned, a!, b!));
      });
    }
    case 'OPERATOR':
      if (node.type === 'ARRAY_CONSTRUCTOR') return withDocumentElements(node, holds);
      if (!/^COMPARE_(?:NOT_)?IN$/.test(node.type)) return withDocumentOperands(node, holds);
      return isCompared(node.children[0])
        ? ofArguments(node.children, holds, (children) => inList(node.type, children))
        : node;
    case 'CASE':
      return withDocumentOperands(node, holds);
    case 'FUNCTION':
      return node.function_name === 'list_value'
        ? withDocumentElements(node, holds)
        : callForm(node, holds, (child) => valueKind(child, ofColumn));
    default:
      return node;
  }
}

/** Text literals beside documents, in an expression that returns one of them, are documents. */
const withDocumentOperands = (node: Expression, holds: Holds): Expression =>
  operandsOf(node).some(holds) ? withOperands(node, asJsonb) : node;

/** Text literals among the elements of an array of documents are documents. */
const withDocumentElements = (node: FunctionNode | OperatorNode, holds: Holds): Expression =>
  node.children.some(holds) ? withChildren(node, asJsonb) : node;

type Holds = (child: Expression | undefined) => boolean;
type KindOf = (child: Expression) => ValueKind;

function callForm(node: FunctionNode, holds: Holds, kindOf: KindOf): Expression {
  const [left, right] = node.children;
  const name = node.function_name;
  if (left !== undefined && right !== undefined) {
    const form = (of: (left: Expression, right: Expression) => Expression) =>
      ofArguments([left, right], holds, ([a, b]) => of(a!, b!));
    const symbol = SYMBOLS.get(name);
    const isOfDocuments = holds(left) || holds(right);
    const isTest = TESTS.has(symbol ?? name) && (symbol !== undefined || isOfDocuments);
    if (isTest && [left, right].some(isNullDocument)) return cast(constant(null), 'BOOLEAN');
    if (symbol !== undefined) {
      const inner = partOfPart(symbol, left, right);
      if (inner !== undefined) return symbol === '->' ? inner : shown(inner, holds(left));
      const read = symbol === '#-' ? left : readOnly(left);
      return ofArguments([read, right], holds, ([a, b]) => {
        const ordered = (found: Expression) =>
          read === left ? found : internalCall('jsonb', internalCall('jsonb_canonical', found));
        return jsonOperator(symbol, a!, b!, holds(left), ordered);
      });
    }
    // `@>` and `<@` are this call for arrays, and stay operators if an operand is a parameter without a value.
    if (isOfDocuments && (name === '@>' || name === 'tsr_pg_array_contains'))
      return form((a, b) => contained(a, b, '@>'));
    if (isOfDocuments && name === '<@') return form((a, b) => contained(a, b, '<@'));
    if (name === '||')
      return isOfDocuments ? concatenated(left, right, holds, kindOf) : noDocuments(node, kindOf);
    if (holds(left) && name === '-') return form(without);
    if (holds(left) && name === 'nullif')
      return form((a, b) => caseOf([[equal(a, b), cast(constant(null), JSON_TYPE)]], a));
  }
  return isJsonFunction(name) ? jsonFunction(node, holds) : withDocumentOperands(node, holds);
}

/** `document || value`: a text that is no literal makes it a concatenation of texts. */
function concatenated(left: Expression, right: Expression, holds: Holds, kindOf: KindOf): Expression {
  const isDocumentHere = (side: Expression) =>
    holds(side) || side.class === 'PARAMETER' || isNullLiteral(side) || literalOf(side) !== undefined;
  if (isDocumentHere(left) && isDocumentHere(right))
    return ofArguments([left, right], holds, ([a, b]) =>
      internalCall('jsonb', internalCall('jsonb_concat', documentOf(a!), documentOf(b!))),
    );
  const other = holds(left) ? right : left;
  if (kindOf(other) !== 'text')
    fail('NOT_SUPPORTED', {
      what: '|| of a jsonb and a value of another type',
      hint: 'cast the value to jsonb or to text',
    });
  const text = (side: Expression) => (side === other ? side : internalCall('jsonb_text', side));
  return operatorCall('||', text(left), text(right));
}

/**
 * `value || text`, which is refused if the kernel knows that an operand is a document: it would join texts. The type of a column
 * of a WITH query or of a UNION is not known here.
 */
function noDocuments(node: FunctionNode, kindOf: KindOf): Expression {
  const columns = node.children.filter(
    (child) => child.class === 'COLUMN_REF' && kindOf(child) === 'unknown',
  );
  return columns.reduce(
    (rest: Expression, child) =>
      caseOf([[internalCall('is_json', child), kernelCall('error', constant(CAST_TO_JSONB))]], rest),
    node,
  );
}

const CAST_TO_JSONB = 'operator is not unique: json || text: cast the document to jsonb or to text';

/** `document - key`, whose type decides what it removes. A literal is a text. */
const without = (document: Expression, key: Expression): Expression =>
  internalCall(
    'jsonb',
    internalCall('jsonb_minus', document, key.class === 'PARAMETER' ? cast(key, 'VARCHAR') : key),
  );

/** `a < b` is `b > a`. */
const TURNED: Readonly<Record<string, string>> = {
  COMPARE_LESSTHAN: 'COMPARE_GREATERTHAN',
  COMPARE_GREATERTHAN: 'COMPARE_LESSTHAN',
  COMPARE_LESSTHANOREQUALTO: 'COMPARE_GREATERTHANOREQUALTO',
  COMPARE_GREATERTHANOREQUALTO: 'COMPARE_LESSTHANOREQUALTO',
};

/** Whether a document is NULL or a parameter without a value, also under casts. */
function isOpen(node: Expression): boolean {
  if (node.class === 'FUNCTION' && node.function_name === 'tsr_jsonb') return isOpen(node.children[0]!);
  if (node.class === 'CAST' && isDocumentType(node)) return isOpen(node.child);
  return hasNoValue(node);
}

/** The operators of documents that return a boolean: NULL if an operand is. */
const TESTS: ReadonlySet<string> = new Set(['?', '?|', '?&', '@?', '@>', '<@', 'tsr_pg_array_contains']);

/** Whether a document, a key or a path is a NULL literal. */
const isNullDocument = (node: Expression): boolean =>
  node.class === 'FUNCTION' && node.function_name === 'tsr_jsonb'
    ? isNullDocument(node.children[0]!)
    : isNullLiteral(node);

const withoutCasts = (node: Expression): Expression =>
  node.class === 'CAST' ? withoutCasts(node.child) : node;

const hasNoValue = (node: Expression): boolean =>
  node.class === 'PARAMETER' || (node.class === 'CONSTANT' && node.value.is_null);

const constantOf = (node: Expression): JsonValue | undefined => {
  const text = literalOf(node);
  return text === undefined ? undefined : parseJson(text);
};

function castForm(node: CastNode, holds: Holds): Expression {
  const { child, cast_type, try_cast } = node;
  const isKnown = holds(child);
  if (isArrayType(cast_type)) return arrayOfDocuments(node);
  if (!isJsonbType(cast_type)) {
    if (!isKnown) return node;
    if (cast_type.id === 'VARCHAR') return internalCall('jsonb_text', child);
    if (isDocumentType(node)) return { ...node, child: internalCall('jsonb_text', child) };
    const scalar = SCALARS[cast_type.id];
    return scalar === undefined || try_cast
      ? node
      : {
          ...node,
          child: ofArguments([child], holds, ([document]) =>
            internalCall('jsonb_scalar', document, constant(scalar)),
          ),
        };
  }
  if (isKnown) return child;
  const text = literalOf(child);
  if (text !== undefined && !try_cast)
    return internalCall('jsonb', cast(constant(jsonbText(text)), JSON_TYPE));
  if (isOpen(child) || try_cast) return internalCall('jsonb', cast(child, JSON_TYPE, try_cast));
  return ofArguments([child], holds, ([value]) => internalCall('to_jsonb', value));
}

const isArrayType = ({ type_info }: TypeNode): boolean =>
  type_info?.type === 'LIST_TYPE_INFO' && isJsonbType(type_info.child_type);

/** `x::jsonb[]`, in which literals are parsed here. */
function arrayOfDocuments({ child, try_cast }: CastNode): Expression {
  const elements = elementsOf(child) ?? [];
  if (elements.length > 0 && elements.every((element) => literalOf(element) !== undefined))
    return kernelCall('list_value', ...elements.map(documentOf));
  const isOpenArray = isNullLiteral(child) || child.class === 'PARAMETER';
  return internalCall('jsonb_array', isOpenArray ? cast(child, listType(JSON_TYPE), try_cast) : child);
}

/** What `jsonb_typeof` must say about a document that is cast to a type of the kernel. */
const SCALARS: Readonly<Record<string, string>> = {
  BOOLEAN: 'boolean',
  ...Object.fromEntries(
    ['SMALLINT', 'INTEGER', 'BIGINT', 'FLOAT', 'DOUBLE', 'DECIMAL'].map((type) => [type, 'number']),
  ),
};

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

const equal = (document: Expression, other: Expression): Expression =>
  compared(document, 'COMPARE_EQUAL', other) ?? comparison('COMPARE_EQUAL', document, other);

/** `doc IN (a, b)` → `doc = a OR doc = b` */
function inList(type: string, [document, ...values]: readonly Expression[]): Expression {
  const found = or(...values.map((value) => equal(document!, value)));
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

/** @param ordered a part of a document whose keys must be in order, as a result */
function jsonOperator(
  symbol: string,
  left: Expression,
  right: Expression,
  isDocument: boolean,
  ordered: (found: Expression) => Expression,
): Expression {
  switch (symbol) {
    case '->':
      return ordered(part(left, right, isDocument));
    case '->>':
      return shown(ordered(part(left, right, isDocument)), isDocument);
    case '#>':
      return ordered(partAt(left, right));
    case '#>>':
      return shown(ordered(partAt(left, right)), isDocument);
    case '?':
      return kernelCall('list_contains', internalCall('json_names', left), cast(right, 'VARCHAR'));
    case '?|':
      return kernelCall('list_has_any', internalCall('json_names', left), textsOf(right));
    case '?&':
      return kernelCall('list_has_all', internalCall('json_names', left), textsOf(right));
    case '@?':
      return comparison('COMPARE_GREATERTHAN', call('len', partsAtPath(left, right)), constant(0));
    case '#-':
      return withoutPath(left, right);
    default:
      return fail('NOT_SUPPORTED', { what: `The operator ${symbol} of jsonb` });
  }
}

/** A document of which only parts are read: it costs less if its keys keep their order. */
function readOnly(document: Expression): Expression {
  const inner =
    document.class === 'FUNCTION' && document.function_name === 'tsr_jsonb'
      ? document.children[0]!
      : document;
  if (inner.class !== 'FUNCTION') return document;
  if (inner.function_name === 'tsr_to_jsonb') return internalCall('json_checked', inner.children[0]);
  return inner.function_name === 'tsr_jsonb_canonical' ? inner.children[0]! : document;
}

/** `document -> 'a' -> 'b'` looks up one path, `$."a"."b"`; undefined for other operators and operands. */
function partOfPart(symbol: string, document: Expression, key: Expression): Expression | undefined {
  const name = stringLiteral(key);
  if (!/^->>?$/.test(symbol) || name === undefined || !isPathKey(name)) return undefined;
  if (document.class !== 'FUNCTION' || document.function_name !== 'tsr_json_at') return undefined;
  const [whole, path] = document.children;
  const outer = stringLiteral(path!);
  return outer?.startsWith('$.') ? internalCall('json_at', whole, constant(`${outer}."${name}"`)) : undefined;
}

/**
 * `document -> key`: a text is a key of an object, and an integer is a position in an array. A number, a string or a boolean of
 * `jsonb` is an array of itself.
 */
function part(document: Expression, key: Expression, isBinary: boolean): Expression {
  const name = stringLiteral(key);
  if (name !== undefined && isPathKey(name))
    return internalCall('json_at', document, constant(`$."${name}"`));
  const type = isBinary ? 'jsonb' : 'json';
  return isInteger(key)
    ? internalCall(`${type}_item`, document, key)
    : internalCall(`${type}_part`, document, key.class === 'PARAMETER' ? cast(key, 'VARCHAR') : key);
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
  if (hasNoValue(withoutCasts(path)))
    return internalCall('json_at', document, kernelCall('array_to_string', cast(path, TEXTS), constant('/')));
  return fail('NOT_SUPPORTED', { what: '#> and #>> with a path that is no constant' });
}

/** An array of texts without NULL, which is no key. */
function textsOf(node: Expression): Expression {
  const items = textsIn(node)?.filter(
    (item) => !(item.class === 'CAST' && item.child.class === 'CONSTANT' && item.child.value.is_null),
  );
  return cast(items === undefined ? node : kernelCall('list_value', ...items), TEXTS);
}
