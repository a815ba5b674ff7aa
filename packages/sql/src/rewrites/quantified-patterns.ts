import { fail } from '@tessera/common';
import { internalCall, kernelCall } from '../functions/expressions.ts';
import { QUANTIFIERS } from '../text/pattern-quantifiers.ts';
import { type ArrayText, parseArrayText } from '../text/postgres-array.ts';
import {
  and,
  column,
  constant,
  type Expression,
  type FunctionNode,
  lambda,
  or,
  stringLiteral,
} from '../tree.ts';

const PATTERN_OPERATOR = /^(?:!?~~\*?|!?~\*|regexp_full_match)$/;
const PATTERN = 'tsr_pattern';

/**
 * Compares a text with several patterns; the text for the kernel's parser has a call in place of the quantifier:
 *     x LIKE ANY (ARRAY['a%', 'b%'])   →   x LIKE 'a%' OR x LIKE 'b%'
 *     x NOT LIKE ALL (patterns)        →   tsr_all_true(list_transform(patterns, lambda p: x NOT LIKE p))
 * The parser writes `x !~ ALL (patterns)` as NOT around the match, so that the other quantifier stands inside of it.
 * @param source the text of the statement from the operator on, which the match inside of NOT does not have
 * @throws TesseraError CAST_ERROR for a text that is no array
 */
export function quantifiedPattern(node: FunctionNode, source: string): Expression {
  const [text, call] = node.children;
  if (text === undefined || call?.class !== 'FUNCTION' || !PATTERN_OPERATOR.test(node.function_name))
    return node;
  const written = QUANTIFIERS.find(({ name }) => name === call.function_name)?.quantifier;
  if (written === undefined) return node;
  const isMatch = node.function_name === 'regexp_full_match';
  const quantifier = !isMatch || source.startsWith('~') ? written : written === 'ANY' ? 'ALL' : 'ANY';
  const function_name = isMatch ? '~' : node.function_name;
  const compared = (pattern: Expression): FunctionNode => ({
    ...node,
    function_name,
    alias: '',
    children: [text, pattern],
  });
  const [list, ...more] = call.children;
  const elements = more.length > 0 ? call.children : elementsOf(list!);
  const { alias, query_location } = node;
  if (elements !== undefined) {
    const all = elements.map(compared);
    return { ...(quantifier === 'ANY' ? or(...all) : and(...all)), alias, query_location };
  }
  const outcomes = kernelCall('list_transform', list, lambda([PATTERN], compared(column(PATTERN))));
  return { ...internalCall(quantifier === 'ANY' ? 'any_true' : 'all_true', outcomes), alias, query_location };
}

/** The elements of an array that the statement spells; undefined for any other expression. */
function elementsOf(list: Expression): readonly Expression[] | undefined {
  if (list.class === 'CAST' && list.cast_type.id === 'LIST') return elementsOf(list.child);
  if (list.class === 'OPERATOR' && list.type === 'ARRAY_CONSTRUCTOR') return list.children;
  if (list.class === 'FUNCTION' && list.function_name === 'list_value') return list.children;
  const text = list.class === 'CONSTANT' ? stringLiteral(list) : undefined;
  return text === undefined
    ? undefined
    : parsed(text).map((element) => constant(element === null ? null : String(element)));
}

function parsed(text: string): ArrayText {
  try {
    return parseArrayText(text);
  } catch {
    return fail('CAST_ERROR', { message: `malformed array literal: ${JSON.stringify(text)}` });
  }
}
