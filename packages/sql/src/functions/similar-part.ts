import { fail } from '@tessera/common';
import { cast, constant, type Expression, stringLiteral } from '../tree.ts';
import { internalCall, isNullLiteral } from './expressions.ts';

/** An escaped character, the characters in brackets, and the characters that mean something else in a regular expression. */
const PART = /\\(.)|\[\^?\]?[^\]]*\]|[%_.^$]/gs;

/** A pattern of SIMILAR TO with backslashes as a regular expression. @param any what `%` stands for */
export const regularExpression = (pattern: string, any = '.*'): string =>
  pattern.replace(PART, (part, escaped: string | undefined) => {
    if (escaped !== undefined) return part;
    if (part === '%') return any;
    if (part === '_') return '.';
    return part.length === 1 ? `\\${part}` : part;
  });

/**
 * `substring('foobar' SIMILAR '%#"o_b#"%' ESCAPE '#')`: the part of a text between the two separators in the pattern, or the whole text
 * if there are none; NULL if the pattern does not match the text, or is NULL.
 */
export function similarPart(text: Expression, pattern: Expression, escaping: Expression): Expression {
  if (isNullLiteral(pattern) || isNullLiteral(escaping)) return cast(constant(null), 'VARCHAR');
  const [literal, character] = [stringLiteral(pattern), stringLiteral(escaping) ?? ''];
  if (literal === undefined)
    return fail('NOT_SUPPORTED', { what: 'SIMILAR with a pattern that is not a literal' });
  if ([...character].length > 1)
    fail('INVALID_ESCAPE', { message: 'The text after ESCAPE must be empty or one character' });
  const parts = [''];
  const characters = [...literal];
  for (let i = 0; i < characters.length; i += 1) {
    const isEscaped = characters[i] === character;
    if (isEscaped) i += 1;
    const next = characters[i] ?? '';
    if (isEscaped && next === '"') parts.push('');
    else parts.push(`${parts.pop()}${isEscaped || next === '\\' ? '\\' : ''}${next}`);
  }
  const [before, found, ...after] = parts;
  if (after.length > 1)
    fail('INVALID_ARGUMENT', {
      message: 'SQL regular expression may not contain more than two escape-double-quote separators',
    });
  const regex =
    found === undefined
      ? `(${regularExpression(before!)})`
      : `(?:${regularExpression(before!, '.*?')})(${regularExpression(found)})(?:${regularExpression(after[0] ?? '')})`;
  return internalCall('regexp_extract', text, constant(`(?s)^${regex}$`), constant(1));
}
