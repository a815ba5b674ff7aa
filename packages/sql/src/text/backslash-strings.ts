import { blockCommentEnd, dollarStringEnd, escapedEnd, quotedEnd } from './quoted.ts';

/** A text whose strings mean the same under `standard_conforming_strings = on`. */
export interface StandardText {
  readonly text: string;
  /** The offsets in `text` of the characters that were inserted, in ascending order. */
  readonly inserted: readonly number[];
}

/** Comments, words and strings with a prefix: a quote inside them does not begin a plain string. Functions of `quoted.ts` find others. */
const SKIPPED = /--[^\n\r]*|[xXbB]'[^']*'|[uU]&'(?:[^']|'')*'|[\w\u0080-\uffff][\w$\u0080-\uffff]*/y;
/** The beginning of something that has an end, where no end was found. */
const UNTERMINATED = /['"]|\/\*|\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;
const ESCAPE_PREFIX = /[eE](?=')/y;
/** Where something that is not copied as it stands may begin. */
const INTERESTING = /['"$/-]|[\w\u0080-\uffff]/g;

/**
 * Writes the strings of a text in which a backslash escapes the next character, also in plain strings
 * (`standard_conforming_strings = off`), in a form that means the same otherwise: `'a\'b'` becomes `E'a\'b'`. An unterminated
 * string or comment is left as it is.
 */
export function inStandardForm(text: string): StandardText {
  const inserted: number[] = [];
  let out = '';
  let copied = 0;
  let at = 0;
  while (at < text.length) {
    INTERESTING.lastIndex = at;
    const next = INTERESTING.exec(text);
    if (next === null) break;
    at = next.index;
    const end = endOfPlain(text, at);
    if (end !== undefined && text.slice(at, end).includes('\\')) {
      const prefix = /[\w\u0080-\uffff]/.test(text[at - 1] ?? '') ? ' E' : 'E';
      out += text.slice(copied, at) + prefix;
      for (let i = prefix.length; i > 0; i -= 1) inserted.push(out.length - i);
      copied = at;
    }
    at = end ?? endOfOther(text, at);
  }
  return { text: out + text.slice(copied), inserted };
}

function endOfPlain(text: string, at: number): number | undefined {
  const end = escapedEnd(text, at);
  return end < 0 ? undefined : end;
}

function endOfOther(text: string, at: number): number {
  const quoted = [quotedEnd(text, at, '"'), blockCommentEnd(text, at), dollarStringEnd(text, at)].find(
    (end) => end > at,
  );
  if (quoted !== undefined) return quoted;
  UNTERMINATED.lastIndex = at;
  if (UNTERMINATED.test(text)) return text.length;
  ESCAPE_PREFIX.lastIndex = at;
  if (ESCAPE_PREFIX.test(text)) return endOfPlain(text, at + 1) ?? text.length;
  SKIPPED.lastIndex = at;
  return at + (SKIPPED.exec(text)?.[0].length ?? 1);
}
