import { fail } from '@tessera/common';
import { computedOnce, internalCall, isNullLiteral, kernelCall } from '../functions/expressions.ts';
import { isInternalName } from '../functions/internal-macros.ts';
import { documentOfValue } from '../functions/json.ts';
import { parseArrayText } from '../text/postgres-array.ts';
import {
  call,
  caseOf,
  cast,
  comparison,
  constant,
  type Expression,
  type FunctionNode,
  operator,
  stringLiteral,
  walkTree,
} from '../tree.ts';
import { jsonbText } from '../types/jsonb-text.ts';
import { typeNode } from '../types/type-node.ts';
import { partsAtPath } from './json-path.ts';
import { isJsonbType } from './jsonb-type.ts';

export const JSON_TYPE = typeNode({ kind: 'json' });

/** A call of a function of documents. */
interface JsonCall {
  readonly name: string;
  readonly args: readonly Expression[];
  /** Whether the function is of `jsonb`; otherwise it is of `json`. */
  readonly isBinary: boolean;
  /** Whether an argument is known to be `jsonb`. */
  readonly holds: (child: Expression | undefined) => boolean;
}

interface JsonFunction {
  readonly arity: readonly [least: number, most: number];
  /** Whether it returns several rows, which no lambda can. */
  readonly hasRows?: boolean;
  readonly form: (called: JsonCall) => Expression;
}

const FIRST = [1, 1] as const;
const PATH = [2, 2] as const;

/** The functions of `jsonb` without their prefix `jsonb_`, and of `json` without `json_`. */
const OF_BOTH: Readonly<Record<string, JsonFunction>> = {
  array_elements: { arity: FIRST, hasRows: true, form: (called) => rowsOf(elements(called)) },
  array_elements_text: {
    arity: FIRST,
    hasRows: true,
    form: (called) => rowsOf(internalCall(`${typeOf(called)}_texts`, elements(called))),
  },
  array_length: { arity: FIRST, form: (called) => internalCall('json_length', firstDocument(called)) },
  build_array: { arity: [0, Infinity], form: builtArray },
  build_object: { arity: [0, Infinity], form: builtObject },
  each: { arity: FIRST, hasRows: true, form: (called) => rowsOf(entries(called)) },
  each_text: {
    arity: FIRST,
    hasRows: true,
    form: (called) => rowsOf(internalCall(`${typeOf(called)}_text_entries`, entries(called))),
  },
  extract_path: { arity: [1, Infinity], form: pathOf },
  extract_path_text: { arity: [1, Infinity], form: (called) => shown(pathOf(called), called.isBinary) },
  object_keys: {
    arity: FIRST,
    hasRows: true,
    form: (called) => rowsOf(internalCall('json_keys_of', firstDocument(called), constant(called.name))),
  },
  strip_nulls: {
    arity: FIRST,
    form: (called) => typed(called, internalCall('json_strip_nulls', firstDocument(called))),
  },
  typeof: { arity: FIRST, form: (called) => internalCall('jsonb_typeof', firstDocument(called)) },
};

/** Functions that only `jsonb` has. */
const OF_JSONB: Readonly<Record<string, JsonFunction>> = {
  to_jsonb: {
    arity: FIRST,
    form: ({ args: [value], holds }) => (holds(value) ? value! : documentOfValue('jsonb', value!)),
  },
  jsonb_insert: { arity: [3, 4], form: (called) => inserted(called) },
  jsonb_path_exists: {
    arity: PATH,
    form: ({ args: [document, path] }) =>
      comparison('COMPARE_GREATERTHAN', call('len', partsAtPath(documentOf(document!), path!)), constant(0)),
  },
  jsonb_path_query: {
    arity: PATH,
    hasRows: true,
    form: ({ args: [document, path] }) =>
      rowsOf(internalCall('jsonb_held_list', partsAtPath(documentOf(document!), path!))),
  },
  jsonb_path_query_array: {
    arity: PATH,
    form: ({ args: [document, path] }) =>
      internalCall('jsonb', internalCall('json_held_array', partsAtPath(documentOf(document!), path!))),
  },
  jsonb_path_query_first: {
    arity: PATH,
    form: ({ args: [document, path] }) =>
      internalCall(
        'jsonb',
        internalCall(
          'json_free',
          call('list_extract', partsAtPath(documentOf(document!), path!), constant(1)),
        ),
      ),
  },
  jsonb_pretty: { arity: FIRST, form: (called) => internalCall('jsonb_pretty', firstDocument(called)) },
  jsonb_set: { arity: [3, 4], form: (called) => set(called) },
};

const UNSUPPORTED = /^jsonb?_(?:path_.*|populate_record(?:set)?)$|^jsonb_(?:set_lax|object)$/;

/** Whether `jsonFunction` translates calls of a function, or refuses them. */
export const isJsonFunction = (name: string): boolean => found(name) !== undefined || UNSUPPORTED.test(name);

function found(name: string): JsonFunction | undefined {
  if (Object.hasOwn(OF_JSONB, name)) return OF_JSONB[name];
  const rest = /^jsonb?_(.*)$/.exec(name)?.[1];
  return rest !== undefined && Object.hasOwn(OF_BOTH, rest) ? OF_BOTH[rest] : undefined;
}

/** The kernel's expression for a call of one of PostgreSQL's functions of `json` and `jsonb`. */
export function jsonFunction(
  { function_name: name, children }: FunctionNode,
  holds: JsonCall['holds'],
): Expression {
  const known = found(name) ?? fail('NOT_SUPPORTED', { what: `The function ${name}` });
  const [least, most] = known.arity;
  if (children.length < least || children.length > most)
    fail('UNDEFINED_FUNCTION', { message: `${name} cannot be called with ${children.length} arguments` });
  const form = (args: readonly Expression[]) =>
    known.form({ name, args, isBinary: !name.startsWith('json_'), holds });
  return known.hasRows === true ? form(children) : ofArguments(children, holds, form);
}

/**
 * `form(args)`. The macros of documents repeat their arguments, so what contains such macros is computed first: operators inside of
 * operators would multiply the size of the statement at every level.
 */
export function ofArguments(
  args: readonly Expression[],
  holds: JsonCall['holds'],
  form: (args: readonly Expression[]) => Expression,
): Expression {
  const costly = args.filter((arg) => isCostly(arg) && textsIn(arg) === undefined);
  if (costly.length === 0) return form(args);
  let isBinary = false;
  const computed = computedOnce(costly, (operands) => {
    const body = form(
      args.map((arg) => {
        const operand = operands[costly.indexOf(arg)];
        if (operand === undefined) return arg;
        return holds(arg) ? internalCall('jsonb', operand) : operand;
      }),
    );
    isBinary = holds(body);
    return body;
  });
  return isBinary ? internalCall('jsonb', computed) : computed;
}

function isCostly(node: Expression): boolean {
  let isFound = false;
  if (literalOf(node) !== undefined) return false;
  walkTree(node, (part) => {
    if (!('class' in part)) return;
    isFound ||=
      part.class === 'SUBQUERY' ||
      (part.class === 'FUNCTION' && isInternalName(part.function_name) && part.function_name !== 'tsr_jsonb');
  });
  return isFound;
}

const typeOf = ({ isBinary }: JsonCall): 'jsonb' | 'json' => (isBinary ? 'jsonb' : 'json');

/** A result whose type is that of the function. */
const typed = ({ isBinary }: JsonCall, value: Expression): Expression =>
  isBinary ? internalCall('jsonb', value) : value;

const rowsOf = (list: Expression): Expression => call('unnest', list);

const elements = (called: JsonCall): Expression =>
  internalCall(`${typeOf(called)}_elements`, firstDocument(called));

const entries = (called: JsonCall): Expression =>
  internalCall(`${typeOf(called)}_entries`, firstDocument(called), constant(called.name));

const firstDocument = ({ args: [first], isBinary }: JsonCall): Expression =>
  isBinary ? documentOf(first!) : cast(first!, JSON_TYPE);

/** The text of a literal, also under casts; undefined for anything else. */
export function literalOf(node: Expression): string | undefined {
  if (node.class === 'FUNCTION' && node.function_name === 'tsr_jsonb') return literalOf(node.children[0]!);
  if (node.class === 'CAST' && isDocumentType(node)) return literalOf(node.child);
  return stringLiteral(node);
}

export const isDocumentType = ({ cast_type: type }: Extract<Expression, { class: 'CAST' }>): boolean =>
  type.id === 'VARCHAR' ||
  isJsonbType(type) ||
  (type.type_info?.type === 'UNBOUND_TYPE_INFO' && /^json$/i.test(type.type_info.name));

/** An argument that is a `jsonb`: a literal is parsed here, and the type of a parameter or NULL is known. */
export function documentOf(node: Expression): Expression {
  const text = literalOf(node);
  if (text !== undefined) return internalCall('jsonb', cast(constant(jsonbText(text)), JSON_TYPE));
  return node.class === 'PARAMETER' || isNullLiteral(node)
    ? internalCall('jsonb', cast(node, JSON_TYPE))
    : node;
}

/** A text literal as the document that it is the text of. Other values are returned as they are. */
export const asJsonb = (value: Expression): Expression =>
  value.class === 'CONSTANT' && stringLiteral(value) !== undefined
    ? { ...documentOf(value), alias: value.alias, query_location: value.query_location }
    : value;

/** The text of a part of a document: NULL for JSON's null, and strings without quotes. */
export const shown = (value: Expression, isDocument: boolean): Expression =>
  internalCall(isDocument ? 'json_shown' : 'json_as_text', value);

function pathOf(called: JsonCall): Expression {
  const [, ...steps] = called.args;
  return steps.reduce((at, step) => internalCall('json_step', at, step), firstDocument(called));
}

const converted = (isBinary: boolean, value: Expression): Expression =>
  documentOfValue(isBinary ? 'jsonb' : 'json', value);

function builtArray({ args, isBinary, holds }: JsonCall): Expression {
  const items = args.map((item) =>
    cast(isBinary && holds(item) ? item : converted(isBinary, item), 'VARCHAR'),
  );
  const list = cast(kernelCall('list_value', ...items), TEXTS);
  return isBinary
    ? internalCall('jsonb', internalCall('json_array', list, constant(',')))
    : internalCall('json_array', list, constant(', '));
}

function builtObject({ name, args, isBinary }: JsonCall): Expression {
  if (args.length % 2 !== 0)
    fail('INVALID_ARGUMENT', { message: `${name}: the arguments must be pairs of a key and a value` });
  if (args.length === 0) return documentOf(constant('{}'));
  const members = args.flatMap((key, i) =>
    i % 2 === 0
      ? [internalCall('json_member_of', constant(i + 1), key, converted(isBinary, args[i + 1]!))]
      : [],
  );
  const list = kernelCall('list_value', ...members);
  return isBinary ? internalCall('jsonb_object', list) : internalCall('json_object', list, constant(''));
}

/** `jsonb_set(document, path, value, create_if_missing)` */
const set = (called: JsonCall): Expression => withValue(called, 'json_put', true, (creates) => creates);

/** `jsonb_insert(document, path, value, insert_after)` */
const inserted = (called: JsonCall): Expression =>
  withValue(called, 'json_insert', false, (after) => caseOf([[after, constant(1)]], constant(0)));

/** A change by a macro that takes a held document, a step, a held value, the number of the step, and an option. */
function withValue(
  { name, args }: JsonCall,
  macro: string,
  byDefault: boolean,
  optionOf: (given: Expression) => Expression,
): Expression {
  const [document, path, given, option = constant(byDefault)] = args;
  const value = documentOf(given!);
  const change = (held: Expression, step: Expression, nth: number) =>
    internalCall(macro, held, step, internalCall('json_hold', value), constant(nth), optionOf(option));
  return changed(documentOf(document!), stepsOf(name, path!), 'set', value, change, option);
}

/** `document #- path` */
export const withoutPath = (document: Expression, path: Expression): Expression =>
  changed(document, stepsOf('#-', path), 'delete', document, (held, step, nth) =>
    internalCall('json_remove', held, step, constant(nth)),
  );

const TEXTS = typeNode({ kind: 'array', element: { kind: 'text' } });

/**
 * A document with a change at the end of a path. The documents on the way are replaced one in the other; where the path leads
 * nowhere, nothing changes. The result is NULL if one of the other arguments is.
 */
function changed(
  document: Expression,
  steps: readonly Expression[] | undefined,
  verb: 'set' | 'delete',
  value: Expression,
  change: (held: Expression, step: Expression, nth: number) => Expression,
  option?: Expression,
): Expression {
  const given = [value, ...(option === undefined ? [] : [option])].map((part) =>
    operator('OPERATOR_IS_NOT_NULL', part),
  );
  const at = (held: Expression, [step, ...more]: readonly Expression[], nth: number): Expression => {
    if (step === undefined) return held;
    const form = ([once]: readonly Expression[]) => {
      if (more.length === 0) return change(once!, step, nth);
      const inner = at(cast(internalCall('json_held_step', once, step), 'VARCHAR'), more, nth + 1);
      return computedOnce(
        [inner],
        ([value]) => put(once!, step, value!, nth, constant(false)),
        `tsr_put${nth}`,
      );
    };
    return computedOnce([held], form, `tsr_held${nth}`);
  };
  const result =
    steps === undefined
      ? NO_DOCUMENT
      : steps.length === 0
        ? document
        : internalCall('json_free', at(internalCall('json_container', document, constant(verb)), steps, 1));
  const whenGiven = given.reduce((rest, condition) => caseOf([[condition, rest]], NO_DOCUMENT), result);
  return internalCall('jsonb', whenGiven);
}

/** Replaces or adds what is at a step. A step that is no integer leads into objects only. */
function put(
  held: Expression,
  step: Expression,
  value: Expression,
  nth: number,
  creates: Expression,
): Expression {
  const key = step.class === 'CAST' ? stringLiteral(step.child) : undefined;
  const isKey = key !== undefined && !/^\s*[-+]?\d+\s*$/.test(key);
  return internalCall(isKey ? 'json_put_key' : 'json_put', held, step, value, constant(nth), creates);
}

const NO_DOCUMENT = cast(constant(null), JSON_TYPE);

/** The steps of a path; undefined for NULL, and for a parameter without a value in a statement that is only described. */
function stepsOf(name: string, path: Expression): readonly Expression[] | undefined {
  if (path.class === 'PARAMETER' || isNullLiteral(path)) return undefined;
  const steps = textsIn(path);
  if (steps === undefined)
    return fail('NOT_SUPPORTED', {
      what: `${name} with a path that is neither a literal nor ARRAY[…]`,
    });
  if (steps.length > MAX_STEPS)
    fail('NOT_SUPPORTED', { what: `${name} with a path of more than ${MAX_STEPS} steps` });
  return steps;
}

/** Each step is a lambda in the lambda of the step before it; the kernel takes seconds to bind 16 of them, and minutes for 32. */
const MAX_STEPS = 8;

/** The items of a constant array of texts; undefined for another expression. */
export function textsIn(node: Expression): readonly Expression[] | undefined {
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
