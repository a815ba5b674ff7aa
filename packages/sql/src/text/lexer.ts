import { atOnce, type Steps, TesseraError } from '@tessera/common';
import { createToken, type IToken, Lexer, type TokenType } from 'chevrotain';
import { escapeStringText, unicodeNameText, unicodeStringText } from './escape-string.ts';
import { locationAt } from './location.ts';
import {
  blockCommentEnd,
  dollarStringEnd,
  escapeStringEnd,
  nameEnd,
  quotedEnd,
  unicodeStringEnd,
} from './quoted.ts';
import { hasMoreTokens } from './token-count.ts';

/** The pattern of a token whose end a function finds: it returns the offset after the token, or -1. */
function endingAt(endOf: (text: string, at: number) => number) {
  const exec = (text: string, at: number): [string] | null => {
    const end = endOf(text, at);
    return end < 0 ? null : [text.slice(at, end)];
  };
  return { exec };
}

/** The lexical grammar of PostgreSQL, as far as the dialect supports it. Keywords are `Word` tokens. */
const Space = createToken({
  name: 'Space',
  pattern: /[\s\u00a0\ufeff]+/,
  group: Lexer.SKIPPED,
  line_breaks: true,
});
const LineComment = createToken({ name: 'LineComment', pattern: /--[^\n\r]*/, group: Lexer.SKIPPED });
const BlockComment = createToken({
  name: 'BlockComment',
  pattern: endingAt(blockCommentEnd),
  start_chars_hint: ['/'],
  group: Lexer.SKIPPED,
  line_breaks: true,
});
export const EscapeString = createToken({
  name: 'EscapeString',
  pattern: endingAt(escapeStringEnd),
  start_chars_hint: ['e', 'E'],
  line_breaks: true,
});
export const UnicodeString = createToken({
  name: 'UnicodeString',
  pattern: endingAt(unicodeStringEnd),
  start_chars_hint: ['u', 'U'],
  line_breaks: true,
});
const PrefixedString = createToken({
  name: 'PrefixedString',
  pattern: /[xXbB]'[^']*'/,
  line_breaks: true,
});
const PlainString = createToken({
  name: 'PlainString',
  pattern: endingAt((text, at) => quotedEnd(text, at, "'")),
  start_chars_hint: ["'"],
  line_breaks: true,
});
const DollarString = createToken({
  name: 'DollarString',
  pattern: endingAt(dollarStringEnd),
  start_chars_hint: ['$'],
  line_breaks: true,
});
const Parameter = createToken({
  name: 'Parameter',
  pattern: /\$(?:\d+|[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)/,
});
export const QuotedName = createToken({
  name: 'QuotedName',
  pattern: endingAt(nameEnd),
  start_chars_hint: ['"', 'u', 'U'],
  line_breaks: true,
});
export const NumberToken = createToken({
  name: 'Number',
  pattern: /(?:\d[\d_]*(?:\.(?!\.)[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d+)?/,
});
export const Word = createToken({ name: 'Word', pattern: /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/ });
export const Semicolon = createToken({ name: 'Semicolon', pattern: ';' });
export const Open = createToken({ name: 'Open', pattern: /[([{]/ });
export const Close = createToken({ name: 'Close', pattern: /[)\]}]/ });
export const Comma = createToken({ name: 'Comma', pattern: ',' });
export const Operator = createToken({ name: 'Operator', pattern: /::|=>|:=|[^\s\w'"$;,()[\]{}]/ });
const Unterminated = createToken({
  name: 'Unterminated',
  pattern: /(?:[eExXbB]?'|"|\/\*)[\s\S]*/,
  line_breaks: true,
});
const Dollar = createToken({ name: 'Dollar', pattern: /\$/ });
const UnterminatedDollar = createToken({
  name: 'UnterminatedDollar',
  pattern: /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$[\s\S]*/,
  line_breaks: true,
});

const TOKENS: TokenType[] = [
  Space,
  LineComment,
  BlockComment,
  EscapeString,
  UnicodeString,
  PrefixedString,
  PlainString,
  DollarString,
  UnterminatedDollar,
  Parameter,
  QuotedName,
  Unterminated,
  NumberToken,
  Word,
  Semicolon,
  Open,
  Close,
  Comma,
  Dollar,
  Operator,
];

/** The first characters of each kind of token; kinds that are not listed may begin with any character. */
const FIRST: Readonly<Record<string, RegExp>> = {
  Space: /\s/,
  LineComment: /-/,
  BlockComment: /\//,
  EscapeString: /[eE]/,
  UnicodeString: /[uU]/,
  PrefixedString: /[xXbB]/,
  PlainString: /'/,
  DollarString: /\$/,
  UnterminatedDollar: /\$/,
  Parameter: /\$/,
  QuotedName: /["uU]/,
  Unterminated: /[eExXbB'"/]/,
  Number: /[\d.]/,
  Word: /[A-Za-z_]/,
  Semicolon: /;/,
  Open: /[([{]/,
  Close: /[)\]}]/,
  Comma: /,/,
  Dollar: /\$/,
};

/**
 * The kinds of token to try for each first character, in order: one list per ASCII code, and one for all
 * other characters.
 */
const CANDIDATES: readonly (readonly TokenType[])[] = Array.from({ length: 129 }, (_, code) => {
  const first = code < 128 ? String.fromCharCode(code) : undefined;
  return TOKENS.filter(({ name }) => first === undefined || (FIRST[name] ?? /[\s\S]/).test(first));
});

/** Thrown if one statement of a text has more tokens than its reader allows. */
export class TooManyTokens extends Error {
  readonly limit: number;

  constructor(limit: number) {
    super(`More than ${limit} tokens`);
    this.limit = limit;
  }
}

/** Reads the tokens of one text in order and may refuse it before the rest is read. */
export interface TokenReader {
  /** The maximum number of tokens of a statement that begins with the token. */
  maxTokens(first: IToken): number;
  /** Called for each token, semicolons included. */
  add(token: IToken): void;
}

interface Scan {
  readonly tokens: readonly IToken[];
  /** The offset of the first character that does not begin a token. */
  readonly error: number | undefined;
  /** A number that letters follow directly, as in `0x1F`, which the kernel would read as `0 AS x1F`. */
  readonly joined: IToken | undefined;
}

const LETTER = /[A-Za-z_\u0080-\uffff]/;

/** The number of tokens that are read in one step. */
const TOKENS_PER_STEP = 512;

function* scan(text: string, reader: TokenReader | undefined): Steps<Scan> {
  const tokens: IToken[] = [];
  let error: number | undefined;
  let joined: IToken | undefined;
  let statementStart = 0;
  let limit = Number.POSITIVE_INFINITY;
  let at = 0;
  while (at < text.length) {
    const candidates = CANDIDATES[Math.min(text.charCodeAt(at), 128)]!;
    const found = firstMatch(candidates, text, at);
    if (found === undefined) {
      error ??= at;
      at += 1;
      continue;
    }
    if (found.tokenType.GROUP !== Lexer.SKIPPED) {
      if (reader !== undefined && tokens.length === statementStart) {
        limit = reader.maxTokens(found);
        if (hasMoreTokens(text, at, limit)) throw new TooManyTokens(limit);
      }
      tokens.push(found);
      reader?.add(found);
      if (tokens.length % TOKENS_PER_STEP === 0) yield;
    }
    if (found.tokenType === Semicolon) statementStart = tokens.length;
    if (tokens.length - statementStart > limit) throw new TooManyTokens(limit);
    at += found.image.length;
    if (found.tokenType === NumberToken && LETTER.test(text.charAt(at))) joined ??= found;
  }
  return { tokens, error, joined };
}

function firstMatch(candidates: readonly TokenType[], text: string, at: number): IToken | undefined {
  for (const tokenType of candidates) {
    const image = imageAt(tokenType, text, at);
    if (image !== undefined)
      return { tokenType, image, startOffset: at, tokenTypeIdx: tokenType.tokenTypeIdx! };
  }
  return undefined;
}

const STICKY = new Map(
  TOKENS.flatMap(({ name, PATTERN }) =>
    PATTERN instanceof RegExp ? [[name, new RegExp(PATTERN.source, 'y')] as const] : [],
  ),
);

function imageAt({ name, PATTERN }: TokenType, text: string, at: number): string | undefined {
  const pattern = STICKY.get(name);
  if (pattern !== undefined) {
    pattern.lastIndex = at;
    return pattern.test(text) ? text.slice(at, pattern.lastIndex) : undefined;
  }
  if (typeof PATTERN === 'string') return text.startsWith(PATTERN, at) ? PATTERN : undefined;
  return (PATTERN as { exec(text: string, offset: number): [string] | null }).exec(text, at)?.[0];
}

interface RecentScan extends Scan {
  readonly text: string;
}

/** Each statement is read several times: to split, to classify and to prepare it. Shorter texts are read faster than found here. */
const MIN_RECENT_CHARACTERS = 2_000;
const MAX_RECENT = 4;
/** Scans of long texts, the latest first, until the garbage collector takes them. */
let recent: readonly WeakRef<RecentScan>[] = [];

const recentScan = (text: string): Scan | undefined => {
  if (text.length < MIN_RECENT_CHARACTERS) return undefined;
  for (const ref of recent) {
    const found = ref.deref();
    if (found?.text === text) return found;
  }
  return undefined;
};

function remembered(text: string, scanned: Scan): Scan {
  const found = { text, ...scanned };
  if (text.length >= MIN_RECENT_CHARACTERS) {
    recent = [new WeakRef(found), ...recent.slice(0, MAX_RECENT - 1)];
  }
  return found;
}

/** Remembers the tokens of a text that is the beginning of another one. */
export function rememberTokens(text: string, tokens: readonly IToken[]): void {
  remembered(text, { tokens, error: undefined, joined: undefined });
}

/** See `tokenizeInSteps`. */
export const tokenize = (text: string): readonly IToken[] => atOnce(tokenizeInSteps(text));

/**
 * The tokens of a text without white space and comments.
 * @throws TesseraError SYNTAX_ERROR with its place for an unterminated token or letters directly after a number
 * @throws TooManyTokens if a statement has more than `reader` allows, before the rest is read
 */
export function* tokenizeInSteps(text: string, reader?: TokenReader): Steps<readonly IToken[]> {
  const known = reader === undefined ? recentScan(text) : undefined;
  const { tokens, error, joined } = known ?? remembered(text, yield* scan(text, reader));
  const unterminated = tokens.find((t) => t.tokenType === Unterminated || t.tokenType === UnterminatedDollar);
  if (unterminated !== undefined) {
    throw TesseraError.of(
      'SYNTAX_ERROR',
      { message: `Unterminated ${kindOf(unterminated.image)}` },
      { location: locationAt(text, unterminated.startOffset) },
    );
  }
  if (joined !== undefined) {
    throw TesseraError.of(
      'SYNTAX_ERROR',
      { message: `Syntax error at or near "${joined.image}": letters follow the number directly` },
      { location: locationAt(text, joined.startOffset) },
    );
  }
  if (error !== undefined) {
    throw TesseraError.of(
      'SYNTAX_ERROR',
      { message: `Unexpected character ${JSON.stringify(text.slice(error, error + 1))}` },
      { location: locationAt(text, error) },
    );
  }
  return tokens;
}

/** Whether a token is this word, unquoted, in any case. */
export const isWord = (token: IToken | undefined, ...words: readonly string[]): boolean =>
  token?.tokenType === Word && words.includes(token.image.toUpperCase());

/** Whether a token is `$source_file_name` or a similar name, which are columns of external tables. */
export const isFileColumn = (token: IToken): boolean =>
  /^\$source_file_(?:name|size|timestamp)$/i.test(token.image);

export const isPlainString = (token: IToken): boolean => token.tokenType === PlainString;

export const isParameter = (token: IToken): boolean => token.tokenType === Parameter && !isFileColumn(token);

/**
 * The name that a Word or QuotedName token denotes; unquoted names fold to lower case.
 * @throws TesseraError SYNTAX_ERROR for an invalid escape in `U&"name"`
 */
export function nameOf(token: IToken): string {
  const { tokenType, image } = token;
  if (tokenType !== QuotedName) return image.replace(/[A-Z]+/g, (upper) => upper.toLowerCase());
  return image.startsWith('"') ? image.slice(1, -1).replaceAll('""', '"') : unicodeNameText(image);
}

/** The text that a string token denotes; undefined for other tokens. */
export function stringOf(token: IToken): string | undefined {
  switch (token.tokenType) {
    case PlainString:
      return token.image.slice(1, -1).replaceAll("''", "'");
    case EscapeString:
      return escapeStringText(token.image);
    case UnicodeString:
      return unicodeStringText(token.image);
    case DollarString: {
      const tag = token.image.indexOf('$', 1) + 1;
      return token.image.slice(tag, -tag);
    }
    default:
      return undefined;
  }
}

function kindOf(image: string): string {
  if (image.startsWith('/*')) return 'comment';
  if (image.startsWith('"')) return 'quoted name';
  return 'string';
}
