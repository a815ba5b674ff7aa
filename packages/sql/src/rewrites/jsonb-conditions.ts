import { fail } from '@tessera/common';
import { internalCall, kernelCall } from '../functions/expressions.ts';
import {
  and,
  call,
  caseOf,
  cast,
  column,
  comparison,
  constant,
  type Expression,
  lambda,
  operator,
  or,
} from '../tree.ts';
import { type JsonValue, jsonText } from '../types/jsonb-text.ts';
import { typeNode } from '../types/type-node.ts';

/** A place in a document: `$."a"[0]` below `root`. */
interface Place {
  readonly root: Expression;
  readonly path: string;
}

const NUMBERS = ['BIGINT', 'UBIGINT', 'DOUBLE', 'HUGEINT', 'UHUGEINT'];
/** The binder tries nested lambdas several times each. */
const MAX_LAMBDAS = 6;

const valueAt = ({ root, path }: Place): Expression =>
  path === '$' ? root : kernelCall('json_extract', root, constant(path));

const typeAt = ({ root, path }: Place): Expression => kernelCall('json_type', root, constant(path));

const is = (left: Expression, right: Expression): Expression => comparison('COMPARE_EQUAL', left, right);
const not = (condition: Expression): Expression => operator('OPERATOR_NOT', condition);
/** NULL is false: a part that a document does not have. */
const certainly = (condition: Expression): Expression =>
  operator('OPERATOR_COALESCE', condition, constant(false));

/** Whether a key can be quoted in a path of the kernel, where `"*"` still stands for all keys. */
export const isPathKey = (key: string): boolean => key !== '' && !/["\\*]/.test(key);

const member = (place: Place, key: string): Place =>
  isPathKey(key)
    ? { root: place.root, path: `${place.path}."${key}"` }
    : { root: internalCall('json_member', valueAt(place), constant(key)), path: '$' };

/** The condition, which is never NULL, that the document at a place equals a value, as `=` of `jsonb` has it. */
function equals(place: Place, value: JsonValue): Expression {
  switch (value.kind) {
    case 'null':
    case 'boolean':
    case 'string':
      return certainly(is(cast(valueAt(place), 'VARCHAR'), constant(jsonText(value))));
    case 'number':
      return equalsNumber(place, value.text);
    case 'array': {
      const length = is(
        kernelCall('json_array_length', place.root, constant(place.path)),
        constant(BigInt(value.items.length)),
      );
      const items = value.items.map((item, i) =>
        equals({ root: place.root, path: `${place.path}[${i}]` }, item),
      );
      return and(hasType(place, 'ARRAY'), certainly(length), ...items);
    }
    case 'object': {
      const keys = call('list_unique', kernelCall('json_keys', place.root, constant(place.path)));
      const count = is(keys, cast(constant(value.members.length), 'UBIGINT'));
      const members = value.members.map(([key, item]) => equals(member(place, key), item));
      return and(hasType(place, 'OBJECT'), certainly(count), ...members);
    }
  }
}

const hasType = (place: Place, type: string): Expression => certainly(is(typeAt(place), constant(type)));

/** Compares the values of numbers, and the digits of integers that a double does not hold. */
function equalsNumber(place: Place, text: string): Expression {
  const shown = cast(valueAt(place), 'VARCHAR');
  const number = Number(text);
  if (/^-?\d+$/.test(text) && !Number.isSafeInteger(number)) return certainly(is(shown, constant(text)));
  const isNumber = operator('COMPARE_IN', typeAt(place), ...NUMBERS.map((type) => constant(type)));
  const isEqual = is(cast(shown, 'DOUBLE', true), cast(constant(text), 'DOUBLE'));
  return and(certainly(isNumber), certainly(isEqual));
}

/** `x @> value`: the condition, which is never NULL, that the document at a place contains a value. */
function contains(place: Place, value: JsonValue, depth: number): Expression {
  switch (value.kind) {
    case 'object':
      return and(
        hasType(place, 'OBJECT'),
        ...value.members.map(([key, item]) => contains(member(place, key), item, depth)),
      );
    case 'array':
      return and(
        hasType(place, 'ARRAY'),
        ...value.items.map((item) => someItem(place, depth, (at) => contains(at, item, depth + 1))),
      );
    default:
      return equals(place, value);
  }
}

/** `x <@ value`: the condition, which is never NULL, that a value contains the document at a place. */
function isContained(place: Place, value: JsonValue, depth: number): Expression {
  switch (value.kind) {
    case 'object': {
      const keys = call('list_value', ...value.members.map(([key]) => constant(key)));
      const known = call(
        'list_has_all',
        cast(keys, TEXTS),
        kernelCall('json_keys', place.root, constant(place.path)),
      );
      const members = value.members.map(([key, item]) => {
        const at = member(place, key);
        return or(operator('OPERATOR_IS_NULL', valueAt(at)), isContained(at, item, depth));
      });
      return and(hasType(place, 'OBJECT'), certainly(known), ...members);
    }
    case 'array': {
      const isKnown = (at: Place) => or(...value.items.map((item) => isContained(at, item, depth + 1)));
      return and(hasType(place, 'ARRAY'), not(someItem(place, depth, (at) => not(isKnown(at)))));
    }
    default:
      return equals(place, value);
  }
}

const TEXTS = typeNode({ kind: 'array', element: { kind: 'text' } });

function someItem({ root, path }: Place, depth: number, condition: (at: Place) => Expression): Expression {
  if (depth >= MAX_LAMBDAS)
    fail('NOT_SUPPORTED', { what: `@> and <@ with arrays in more than ${MAX_LAMBDAS} levels` });
  const name = `tsr_item${depth}`;
  const items = kernelCall('json_extract', root, constant(`${path}[*]`));
  const found = call('list_filter', items, lambda([name], condition({ root: column(name), path: '$' })));
  return certainly(comparison('COMPARE_GREATERTHAN', call('len', found), constant(0)));
}

/** NULL if the document is NULL; otherwise the condition, which is never NULL. */
const unlessNull = (document: Expression, condition: Expression): Expression =>
  caseOf([[operator('OPERATOR_IS_NOT_NULL', document), condition]], cast(constant(null), 'BOOLEAN'));

const rootOf = (document: Expression): Place => ({ root: { ...document, alias: '' }, path: '$' });

/** `document = value` */
export const equalsJson = (document: Expression, value: JsonValue): Expression =>
  unlessNull(document, equals(rootOf(document), value));

/** `document @> value`. An array contains a scalar that is one of its items, at the top level only. */
export function containsJson(document: Expression, value: JsonValue): Expression {
  const place = rootOf(document);
  const isScalar = value.kind !== 'array' && value.kind !== 'object';
  const inside = contains(place, value, 0);
  if (!isScalar) return unlessNull(document, inside);
  const inArray = contains(place, { kind: 'array', items: [value] }, 0);
  return unlessNull(document, or(inside, inArray));
}

/** `document <@ value` */
export function isContainedInJson(document: Expression, value: JsonValue): Expression {
  const place = rootOf(document);
  const inside = isContained(place, value, 0);
  if (value.kind !== 'array') return unlessNull(document, inside);
  const scalars = value.items.filter(({ kind }) => kind !== 'array' && kind !== 'object');
  return unlessNull(document, or(inside, ...scalars.map((item) => equals(place, item))));
}

/** `document IS NOT DISTINCT FROM value` is never NULL. */
export const isSameJson = (document: Expression, value: JsonValue): Expression =>
  certainly(equalsJson(document, value));
