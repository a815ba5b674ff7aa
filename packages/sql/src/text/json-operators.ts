import type { IToken } from 'chevrotain';
import { Close, isParameter, isWord, Open, Operator, QuotedName, stringOf, Word } from './lexer.ts';

/** The operator for the kernel's parser that stands for `#`, the exclusive or of bits. */
export const XOR = '~|~';

/**
 * PostgreSQL's operators for JSON, and the operators in the text for the kernel's parser that stand for them. The parser
 * reads `->` as a lambda that ends at the next comma, `?` as a parameter, and does not know `#`; it reads all operators on the
 * right with PostgreSQL's precedence, and no function of the kernel has their names.
 */
export const JSON_OPERATORS: Readonly<Record<string, string>> = {
  '->': '~>',
  '->>': '~>>',
  '#>': '|>',
  '#>>': '|>>',
  '?': '@|@',
  '?|': '@|',
  '?&': '@&',
  '#-': '|~',
  '@?': '@|~',
  '@@': '@~@',
};

/** The functions that take a lambda: `x -> …` in their arguments is one. */
const TAKES_LAMBDA =
  /^(?:(?:list_|array_)?(?:transform|apply|filter|reduce|all_match|any_match)|array_(?:count|first|sort|reverse_sort))$/i;

/** An operator to replace. */
export interface JsonOperator {
  readonly first: IToken;
  readonly last: IToken;
  /** The operator for the kernel's parser, surrounded by blanks. */
  readonly text: string;
}

/** The places of `JSON_OPERATORS` and of `#` in a statement. */
export function jsonOperators(tokens: readonly IToken[]): readonly JsonOperator[] {
  const found: JsonOperator[] = [];
  /** The position of each open bracket. */
  const open: number[] = [];
  /** The brackets of calls whose lambda was found: they take no other. */
  const served = new Set<number>();
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at]!;
    if (token.tokenType === Open) open.push(at);
    else if (token.tokenType === Close) open.pop();
    if (token.tokenType !== Operator) continue;
    const count = runLength(tokens, at);
    const run = tokens.slice(at, at + count);
    // In `a ->-1`, the operator ends before the sign.
    const signs = /^(?:->>?|#>>?)[-+]$/.test(imageOf(run)) ? 1 : 0;
    const operator = run.slice(0, count - signs);
    const name = imageOf(operator);
    at += count - 1;
    const text = name === '#' ? XOR : Object.hasOwn(JSON_OPERATORS, name) ? JSON_OPERATORS[name] : undefined;
    if (text === undefined) continue;
    const [before, after] = [tokens[at - count], tokens[at + 1 - signs]];
    const bracket = open.at(-1);
    if (name === '->' && bracket !== undefined && !served.has(bracket)) {
      if (isLambdaArrow(tokens, at - count, bracket)) {
        served.add(bracket);
        continue;
      }
    }
    if (name === '#' && !isOperand(before)) continue;
    if (name.includes('?') && !(isValueEnd(before) && (isKey(after) || isNamedKey(before, after)))) continue;
    found.push({ first: operator[0]!, last: operator.at(-1)!, text: ` ${text} ` });
  }
  return found;
}

/** The number of tokens that are one operator for PostgreSQL: characters without a blank between them. */
function runLength(tokens: readonly IToken[], at: number): number {
  let count = 1;
  while (
    tokens[at + count]?.tokenType === Operator &&
    tokens[at + count]!.startOffset === tokens[at]!.startOffset + count &&
    tokens[at + count - 1]!.image.length === 1
  )
    count += 1;
  return count;
}

const imageOf = (tokens: readonly IToken[]): string => tokens.map(({ image }) => image).join('');

const isName = (token: IToken | undefined): boolean =>
  token?.tokenType === Word || token?.tokenType === QuotedName;

/**
 * Whether the arrow after position `end` follows the parameters of a lambda: a name or `(a, b)` that is an argument of a
 * function that takes one.
 */
function isLambdaArrow(tokens: readonly IToken[], end: number, open: number): boolean {
  const name = tokens[open - 1];
  if (name?.tokenType !== Word || !TAKES_LAMBDA.test(name.image)) return false;
  let start = end;
  if (tokens[end]?.image === ')') {
    while (start > 0 && tokens[start]!.image !== '(') start -= 1;
    if (!tokens.slice(start + 1, end).every((token) => isName(token) || token.image === ',')) return false;
  } else if (!isName(tokens[end])) return false;
  const before = tokens[start - 1];
  return before?.image === '(' || before?.image === ',';
}

const isValueEnd = (token: IToken | undefined): boolean =>
  token !== undefined &&
  (token.tokenType === Close || isName(token) || isParameter(token) || stringOf(token) !== undefined);

/** Whether an operand of `#` ends here. In `ORDER BY #1`, the number of a column follows. */
const isOperand = (token: IToken | undefined): boolean =>
  isValueEnd(token) ? !isWord(token, 'BY', 'SELECT', 'DISTINCT') : /^\d/.test(token?.image ?? '');

/** Whether a value begins here that may be a key: a `?` before anything else is a parameter. */
const isKey = (token: IToken | undefined): boolean =>
  token !== undefined &&
  (stringOf(token) !== undefined || isParameter(token) || isWord(token, 'ARRAY') || token.image === '(');

const words = (text: string): readonly string[] => text.toUpperCase().split(' ');

/** Words before which no value ends, so that a `?` after them is a parameter. */
const BEFORE_VALUES = words(
  'select distinct all any some where and or not in between symmetric like ilike similar to escape is from then else when case limit offset first next fetch top values on having by set as for using interval date time timestamp timestamptz returning qualify overlaps default call execute show union except intersect into over filter within zone row rows range groups array struct cast',
);
/** Words that may follow a parameter, and are no names. */
const AFTER_VALUES = words(
  'and or then else end when from where as asc desc nulls limit offset group order having union except intersect is in between not like ilike similar escape collate at for using with row rows range preceding following over filter only on join left right inner full cross natural returning qualify window day days month months year years hour hours minute minutes second seconds week weeks',
);

/** Whether a `?` between two values is an operator: `document ? name`. */
const isNamedKey = (before: IToken | undefined, after: IToken | undefined): boolean =>
  isName(after) && !isWord(after, ...AFTER_VALUES) && !isWord(before, ...BEFORE_VALUES);
