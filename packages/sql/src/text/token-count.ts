import { blockCommentEnd, dollarStringEnd, escapeStringEnd, quotedEnd } from './quoted.ts';

/**
 * Whether the statement that begins at `from` certainly has more tokens than `limit`. Counting takes a few nanoseconds for
 * each character and no memory; reading two million tokens takes half a second. The count may be too low, never too high:
 * a name with dots counts as one token, adjacent operators count as one, and text whose tokens depend on details of the
 * grammar is not counted.
 */
export function hasMoreTokens(text: string, from: number, limit: number): boolean {
  if (text.length - from <= limit) return false;
  let count = 0;
  let before: Kind = Kind.space;
  for (let at = from; at < text.length && count <= limit; ) {
    const kind = kindAt(text, at);
    const end = endOf(text, at, kind);
    if (end < 0) return false;
    if (kind === Kind.single || kind === Kind.quote) count += 1;
    else if (kind === Kind.word && isEscapeClause(text, at, end)) count -= 1;
    else if (kind === Kind.word && isCounted(text, at, end)) count += 1;
    else if (kind === Kind.operator && mayContinue(text, at)) count -= 1;
    else if (kind === Kind.operator && before !== Kind.operator) count += 1;
    before = kind;
    at = end;
  }
  return count > limit;
}

/** A parameter that is named by its number, as it is written. */
interface NumberedParameter {
  readonly startOffset: number;
  readonly image: string;
}

/**
 * The first parameter with which the statement that begins at `from` has more different ones than `limit`; undefined if there
 * is none. As for tokens, the count may be too low, never too high: parameters with names are not counted.
 */
export function parameterBeyond(text: string, from: number, limit: number): NumberedParameter | undefined {
  const numbers = new Set<number>();
  for (let at = from; at < text.length; ) {
    const kind = kindAt(text, at);
    const end = endOf(text, at, kind);
    if (end < 0) return undefined;
    if (kind === Kind.word && text.charCodeAt(at) === DOLLAR) {
      let number = 0;
      let next = at + 1;
      for (; isDigit(text.charCodeAt(next)); next += 1) number = number * 10 + text.charCodeAt(next) - ZERO;
      if (next > at + 1 && numbers.add(number).size > limit)
        return { startOffset: at, image: text.slice(at, next) };
    }
    at = end;
  }
  return undefined;
}

const ZERO = 0x30;

const isDigit = (code: number): boolean => code >= ZERO && code < ZERO + 10;

/** The kinds of what may begin at a place. */
const Kind = { space: 0, comment: 1, single: 2, quote: 3, word: 4, operator: 5, end: 6 } as const;
type Kind = (typeof Kind)[keyof typeof Kind];

const QUOTE = 0x27;
const DOLLAR = 0x24;
const ASCII = 128;
const LINE_END = /[\n\r]/g;

/** The kinds of the ASCII characters. A character beyond them counts as part of a word. */
const KINDS: readonly Kind[] = Array.from({ length: ASCII }, (_, code) => {
  const character = String.fromCharCode(code);
  if (code <= 0x20) return Kind.space;
  if (/[\w.$]/.test(character)) return Kind.word;
  if (/['"]/.test(character)) return Kind.quote;
  if (/[,()[\]{}]/.test(character)) return Kind.single;
  return character === ';' ? Kind.end : Kind.operator;
});

function kindAt(text: string, at: number): Kind {
  const code = text.charCodeAt(at);
  const kind = code < ASCII ? KINDS[code]! : Kind.word;
  if (kind !== Kind.operator) return kind;
  return text.startsWith('--', at) || text.startsWith('/*', at) ? Kind.comment : kind;
}

/** The offset after what begins at `at`; -1 if the statement ends there, or if it must be read to know. */
function endOf(text: string, at: number, kind: Kind): number {
  switch (kind) {
    case Kind.end:
      return -1;
    case Kind.comment:
      return commentEnd(text, at);
    case Kind.quote:
      return quotedEnd(text, at, text[at]!);
    case Kind.word:
      return wordEnd(text, at);
    default:
      return at + 1;
  }
}

function commentEnd(text: string, at: number): number {
  if (text.startsWith('/*', at)) return blockCommentEnd(text, at);
  LINE_END.lastIndex = at;
  return LINE_END.exec(text)?.index ?? text.length;
}

/** The end of a word, a number, a parameter, names with dots, or a text in dollars or with a prefix. */
function wordEnd(text: string, start: number): number {
  if (text.charCodeAt(start) === DOLLAR) {
    const end = dollarStringEnd(text, start);
    if (end >= 0) return end;
  }
  let at = start + 1;
  for (; at < text.length && kindAt(text, at) === Kind.word; at += 1) {
    // A text in dollars may begin here.
    if (text.charCodeAt(at) === DOLLAR) return -1;
  }
  if (text.charCodeAt(at) !== QUOTE) return at;
  const word = text.slice(start, at);
  if (/^e$/i.test(word)) return escapeStringEnd(text, start);
  if (word.length === 1) return quotedEnd(text, at, "'");
  // In `1e'x'` and `a.e'x'`, the letter before the quote is a prefix.
  return /^[A-Za-z_]+$/.test(word) ? at : -1;
}

/** Whether a word is not only white space beyond ASCII. */
const isCounted = (text: string, start: number, end: number): boolean =>
  text.charCodeAt(start) < ASCII || /[\x21-\x7f]/.test(text.slice(start, end));

/** Whether the word may begin `UESCAPE 'x'`, which is a part of the token of a name. */
const isEscapeClause = (text: string, start: number, end: number): boolean =>
  end - start === ESCAPE.length && ESCAPE === text.slice(start, end).toLowerCase();

const ESCAPE = 'uescape';

/** Whether an operator may be in the middle of a token, whose parts are counted: `1e-5`, `U&'…'`. */
function mayContinue(text: string, at: number): boolean {
  const before = text[at - 1];
  if (text[at] === '&') return before === 'u' || before === 'U';
  return (text[at] === '-' || text[at] === '+') && (before === 'e' || before === 'E');
}
