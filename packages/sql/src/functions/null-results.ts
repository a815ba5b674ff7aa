import { cast, constant, type Expression, type FunctionNode, type TypeNode } from '../tree.ts';
import { isNullLiteral, kernelCall, listType, literalText } from './expressions.ts';

const TEXTS = listType('VARCHAR');

/** The functions whose rewrites read an argument that must be a literal, with the types of their results. */
const RESULTS: Readonly<Record<string, string | TypeNode>> = {
  format: 'VARCHAR',
  regexp_match: TEXTS,
  regexp_matches: TEXTS,
  to_char: 'VARCHAR',
  to_date: 'DATE',
  to_number: {
    id: 'DECIMAL',
    type_info: { type: 'DECIMAL_TYPE_INFO', alias: '', extension_info: null, width: 38, scale: 9 },
  },
  to_timestamp: 'TIMESTAMP WITH TIME ZONE',
};

/** The result of a call with a NULL literal, of functions that return NULL for it. */
export function nullResult({ function_name: name, children }: FunctionNode): Expression | undefined {
  if (!Object.hasOwn(RESULTS, name)) return undefined;
  // The values that a text is formatted with may be NULL.
  const decisive = name === 'format' ? children.slice(0, 1) : children;
  if (!decisive.some(isNullLiteral)) return undefined;
  const returnsRows = name === 'regexp_matches' && literalText(children[2])?.includes('g');
  return returnsRows
    ? kernelCall('unnest', cast(constant(null), listType(TEXTS)))
    : cast(constant(null), RESULTS[name]!);
}
