/**
 * The ends of quoted texts and comments: each function returns the offset after the one that begins at `at`, or -1 if none
 * begins there or it never ends. Written by hand where regular expressions would overflow the stack on some megabytes.
 */

const DOLLAR_TAG = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;

/** `'…'` or `"…"`; a doubled quote stands for one. */
export function quotedEnd(text: string, at: number, quote: string): number {
  if (text[at] !== quote) return -1;
  let end = text.indexOf(quote, at + 1);
  while (end >= 0 && text[end + 1] === quote) end = text.indexOf(quote, end + 2);
  return end < 0 ? -1 : end + 1;
}

/** `E'…'`, in which a backslash escapes the next character. */
export const escapeStringEnd = (text: string, at: number): number =>
  /^e'$/i.test(text.slice(at, at + 2)) ? escapedEnd(text, at + 1) : -1;

/** `'…'`, in which a backslash escapes the next character. */
export function escapedEnd(text: string, at: number): number {
  if (text[at] !== "'") return -1;
  const marks = /['\\]/g;
  marks.lastIndex = at + 1;
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    if (mark[0] === "'" && text[marks.lastIndex] !== "'") return marks.lastIndex;
    marks.lastIndex += 1;
  }
  return -1;
}

/** `U&'…'`. */
export const unicodeStringEnd = (text: string, at: number): number =>
  /^u&'$/i.test(text.slice(at, at + 3)) ? quotedEnd(text, at + 2, "'") : -1;

/** The number of characters after `U&"name"` in which `UESCAPE 'x'` is looked for. */
const MAX_ESCAPE_CLAUSE = 100;

/** `"name"`, or `U&"name"` with the `UESCAPE 'x'` that may follow it. */
export function nameEnd(text: string, at: number): number {
  if (text[at] === '"') return quotedEnd(text, at, '"');
  if (!/^u&"$/i.test(text.slice(at, at + 3))) return -1;
  const end = quotedEnd(text, at + 2, '"');
  if (end < 0) return -1;
  const clause = /^\s*uescape\s*'[^']*'/i.exec(text.slice(end, end + MAX_ESCAPE_CLAUSE));
  return end + (clause?.[0].length ?? 0);
}

/** A comment between `/*` and its counterpart; comments nest. */
export function blockCommentEnd(text: string, at: number): number {
  if (!text.startsWith('/*', at)) return -1;
  const marks = /\/\*|\*\//g;
  marks.lastIndex = at;
  let depth = 0;
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    depth += mark[0] === '/*' ? 1 : -1;
    if (depth === 0) return marks.lastIndex;
  }
  return -1;
}

/** `$$…$$` or `$tag$…$tag$`. */
export function dollarStringEnd(text: string, at: number): number {
  DOLLAR_TAG.lastIndex = at;
  const tag = DOLLAR_TAG.exec(text)?.[0];
  if (tag === undefined) return -1;
  const end = text.indexOf(tag, at + tag.length);
  return end < 0 ? -1 : end + tag.length;
}
