import { fail } from '@tessera/common';
import { constant, type Expression, type FunctionNode } from '../tree.ts';
import { type Argument, computedOnce, internalCall, literalText } from './expressions.ts';
import { JSONB_MACROS } from './jsonb-macros.ts';
import { type Implementation, inCategory } from './types.ts';

/**
 * A function whose path is a JSON pointer. Calls with a JSONPath (`$…`) are passed to the kernel's own
 * function.
 */
const byPointer = (name: string, least: 1 | 2): Implementation => ({
  kind: 'rewrite',
  arity: [least, 3],
  rewrite: (node) => {
    const [json, path, syntax] = node.children;
    if (literalText(path)?.startsWith('$')) return undefined;
    checkSyntax(node, syntax);
    return internalCall(name, json, path ?? constant(''));
  },
});

/** Checks the argument `path_syntax => 'JSONPointer'`, the only path syntax that is supported. */
function checkSyntax(node: FunctionNode, syntax: Argument): void {
  if (syntax !== undefined && literalText(syntax)?.toLowerCase() !== 'jsonpointer') {
    fail('INVALID_ARGUMENT', { message: `${node.function_name}: path_syntax must be 'JSONPointer'` });
  }
}

/**
 * A document that is built where a `jsonb` is needed, built as one, so that its keys are in the order of `jsonb`:
 *     json_build_object('b', 1, 'a', json_build_array(x))   →   jsonb_build_object('b', 1, 'a', jsonb_build_array(x))
 */
export function builtAsJsonb(node: Expression): Expression {
  if (node.class !== 'FUNCTION' || !/^json_build_(?:array|object)$/.test(node.function_name)) return node;
  const function_name = node.function_name.replace('json_', 'jsonb_');
  return { ...node, function_name, children: node.children.map(builtAsJsonb) };
}

/**
 * A value as a document. The conversion repeats its operand, so a longer expression is computed once: otherwise planning
 * `jsonb_agg(a || b)` takes seconds.
 */
export function documentOfValue(type: 'json' | 'jsonb', value: Expression): Expression {
  const convert = type === 'jsonb' ? 'to_jsonb_value' : 'json_of';
  if (value.class === 'COLUMN_REF' || value.class === 'CONSTANT') return internalCall(convert, value);
  const document = computedOnce([value], ([once]) => internalCall(convert, once), 'tsr_value');
  return type === 'jsonb' ? internalCall('jsonb', document) : document;
}

const DOCUMENT = `'{"a": {"b": [1, "x", null]}, "c/d": "é"}'`;

export const JSON_FUNCTIONS = inCategory('json', [
  {
    name: 'json_extract',
    aliases: ['json_pointer_extract'],
    signatures: ["json_extract(text, text pointer [, path_syntax => 'JSONPointer']) → text"],
    description:
      'The part of the document that a JSON pointer (RFC 6901; `/` is the whole) names, as JSON; else NULL.',
    example: `json_extract(${DOCUMENT}, '/a/b/1')`,
    result: '"x"',
    implementation: byPointer('json_extract', 2),
  },
  {
    name: 'json_extract_array',
    aliases: ['json_pointer_extract_array'],
    signatures: ["json_extract_array(text, text pointer [, path_syntax => 'JSONPointer']) → array(text)"],
    description: 'The elements, as JSON, of the array a JSON pointer names; NULL when it is no array.',
    example: `json_extract_array(${DOCUMENT}, '/a/b')`,
    result: `[1, '"x"', 'null']`,
    implementation: byPointer('json_extract_array', 1),
  },
  {
    name: 'json_pointer_extract_keys',
    signatures: ['json_pointer_extract_keys(text, text pointer) → array(text)'],
    description: 'The keys of the object a JSON pointer names; NULL when it is no object.',
    example: `json_pointer_extract_keys(${DOCUMENT}, '/')`,
    result: '[a, c/d]',
    implementation: byPointer('json_keys', 2),
  },
  {
    name: 'json_pointer_extract_text',
    signatures: ['json_pointer_extract_text(text, text pointer) → text'],
    description: 'The string a JSON pointer names, without quotes and escapes; NULL when it is no string.',
    example: `json_pointer_extract_text(${DOCUMENT}, '/c~1d')`,
    result: 'é',
    implementation: byPointer('json_text', 2),
  },
  {
    name: 'json_pointer_extract_values',
    signatures: ['json_pointer_extract_values(text, text pointer) → array(text)'],
    description: 'The values, as JSON, of the object a JSON pointer names; NULL when it is no object.',
    example: `json_pointer_extract_values(${DOCUMENT}, '/a')`,
    result: '[\'[1,"x",null]\']',
    implementation: byPointer('json_values', 2),
  },
  {
    name: 'json_value',
    signatures: ['json_value(text [, text pointer]) → text'],
    description:
      'A JSON scalar as text, strings without quotes and escapes; NULL for arrays, objects and null.',
    example: `json_value('"say \\"hi\\""')`,
    result: 'say "hi"',
    implementation: byPointer('json_value', 1),
  },
  {
    name: 'json_value_array',
    signatures: ['json_value_array(text [, text pointer]) → array(text)'],
    description: 'The scalars of a JSON array as text; NULL when it is no array or holds an array or object.',
    example: `json_value_array('[1, "x", null]')`,
    result: '[1, x, NULL]',
    implementation: byPointer('json_value_array', 1),
  },
]);

export const JSON_MACROS: Readonly<Record<string, readonly string[]>> = {
  // In the kernel, as in RFC 6901, the empty pointer denotes the whole document.
  pointer: ["(p) AS CASE WHEN p = '/' THEN '' ELSE p END"],
  json_extract: ['(j, p) AS json_extract(j, tsr_pointer(p))::VARCHAR'],
  json_extract_array: [
    `(j, p) AS CASE WHEN json_type(j, tsr_pointer(p)) = 'ARRAY'
      THEN json_extract(json_extract(j, tsr_pointer(p)), '$[*]')::VARCHAR[] END`,
  ],
  json_keys: [
    "(j, p) AS CASE WHEN json_type(j, tsr_pointer(p)) = 'OBJECT' THEN json_keys(json_extract(j, tsr_pointer(p))) END",
  ],
  json_values: [
    `(j, p) AS CASE WHEN json_type(j, tsr_pointer(p)) = 'OBJECT'
      THEN json_extract(json_extract(j, tsr_pointer(p)), '$.*')::VARCHAR[] END`,
  ],
  json_text: [
    "(j, p) AS CASE WHEN json_type(j, tsr_pointer(p)) = 'VARCHAR' THEN json_extract_string(j, tsr_pointer(p)) END",
  ],
  json_value: [
    `(j, p) AS CASE WHEN json_type(j, tsr_pointer(p)) NOT IN ('ARRAY', 'OBJECT', 'NULL')
      THEN json_extract_string(j, tsr_pointer(p)) END`,
  ],
  json_value_array: [
    `(j, p) AS list_transform([tsr_json_extract_array(j, p)], elements ->
      CASE WHEN len(list_filter(elements, e -> e[1] IN ('{', '['))) = 0
        THEN list_transform(elements, e -> json_extract_string(e, '$')) END)[1]`,
  ],
  ...JSONB_MACROS,
};
