import type { IToken } from 'chevrotain';
import { isPlainString, isWord, NumberToken, stringOf, tokenize } from '../text/lexer.ts';
import { type TextShape, textShape } from '../text/text-shape.ts';
import { mayBeForeignTime } from '../text/time-text.ts';

/** A statement whose literals in comparisons are replaced by their class. */
export interface LiteralSkeleton {
  /** The text with a mark for the class of each literal. It is equal for statements that differ in these literals only. */
  readonly key: string;
  /** The literals as they are written, in order. */
  readonly literals: readonly string[];
}

/** Longer statements are rarely repeated with other literals. */
const MAX_CHARACTERS = 4_000;
const MAX_LITERALS = 64;

/** In `x::regclass = 'a.b'`, the text is a name, which is taken apart. */
const NAMES_OBJECTS = /\breg[a-z]+\b/i;

const COMPARISONS: ReadonlySet<string> = new Set(['=', '<>', '!=', '<', '>', '<=', '>=']);
/** Words that end an operand. Before any other token, the literal may be a part of an expression. */
const ENDS = ['AND', 'OR', 'GROUP', 'ORDER', 'LIMIT', 'OFFSET', 'HAVING', 'UNION', 'THEN', 'ELSE', 'END'];

/**
 * Finds the literals that are an operand of a comparison, of BETWEEN or of IN, where the literal decides neither the name
 * nor the type of a column, and which no rewrite turns into something else: integers, and strings without an
 * escape, a date in a form of PostgreSQL's own or an array. Undefined if there is none.
 */
export function literalSkeleton(text: string): LiteralSkeleton | undefined {
  if (text.length > MAX_CHARACTERS || NAMES_OBJECTS.test(text)) return undefined;
  const tokens = tokenize(text);
  const literals: string[] = [];
  let key = '';
  let at = 0;
  for (const [i, token] of tokens.entries()) {
    const mark = isOperand(tokens, i) ? classOf(token) : undefined;
    if (mark === undefined) continue;
    // No text of a client contains this character.
    key += `${text.slice(at, token.startOffset)}\0${mark}`;
    at = token.startOffset + token.image.length;
    literals.push(token.image);
  }
  if (literals.length === 0 || literals.length > MAX_LITERALS) return undefined;
  return { key: key + text.slice(at), literals };
}

function isOperand(tokens: readonly IToken[], i: number): boolean {
  const next = tokens[i + 1];
  const isWhole = next === undefined || next.image === ')' || next.image === ',' || isWord(next, ...ENDS);
  if (!isWhole) return false;
  const before = tokens[i - 1];
  if (before === undefined) return false;
  if (COMPARISONS.has(before.image) || isWord(before, 'BETWEEN')) return true;
  if (isWord(before, 'AND')) return isWord(tokens[i - 3], 'BETWEEN');
  return isInList(tokens, i);
}

/** Whether a token is an item of `IN (…)` after literals only. */
function isInList(tokens: readonly IToken[], i: number): boolean {
  for (let at = i - 1; at > 0; at -= 2) {
    if (tokens[at]!.image === '(') return isWord(tokens[at - 1], 'IN');
    if (tokens[at]!.image !== ',' || classOf(tokens[at - 1]!) === undefined) return false;
  }
  return false;
}

const MAX_INTEGER = 2 ** 31 - 1;

/** `i` for an integer, `l` for one that only a bigint holds, the shape of a string; undefined for every other token. */
function classOf(token: IToken): 'i' | 'l' | TextShape | undefined {
  const { image } = token;
  if (token.tokenType === NumberToken) {
    if (!/^(?:0|[1-9]\d{0,17})$/.test(image)) return undefined;
    return Number(image) <= MAX_INTEGER ? 'i' : 'l';
  }
  if (!isPlainString(token)) return undefined;
  const value = stringOf(token) ?? '';
  // Blanks at the end have no meaning beside a column of the type char(n).
  const isPlain = !/^\s*[[{]|\\| $|^\s*(?:now|today|tomorrow|yesterday)\s*$/i.test(value);
  if (!isPlain || mayBeForeignTime(value)) return undefined;
  const shape = textShape(value);
  // A number with decimals has a type of its own beside a numeric.
  return shape === 'number' ? undefined : shape;
}

/**
 * The value of a literal of a skeleton in a column of the type, as the kernel's VARCHAR; undefined if it may be written
 * differently.
 */
export function literalValue(literal: string, type: string): string | undefined {
  const isText = literal.startsWith("'");
  if (type === 'VARCHAR') return isText ? literal.slice(1, -1).replaceAll("''", "'") : undefined;
  return !isText && (type === 'INTEGER' || type === 'BIGINT') ? literal : undefined;
}
