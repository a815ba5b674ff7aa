import { fail } from '@tessera/common';
import { quoteName, quoteText } from '@tessera/kernel';
import type { IToken } from 'chevrotain';
import { escapeStringBytes, escapeStringText, unicodeNameText, unicodeStringText } from './escape-string.ts';
import { jsonOperators } from './json-operators.ts';
import { kernelWords } from './kernel-words.ts';
import {
  Close,
  EscapeString,
  isFileColumn,
  isPlainString,
  isWord,
  Open,
  QuotedName,
  stringOf,
  tokenize,
  UnicodeString,
  Word,
} from './lexer.ts';
import { locationAt } from './location.ts';
import { patternQuantifiers } from './pattern-quantifiers.ts';
import { postgresClauses } from './postgres-clauses.ts';
import { type Omission, qualifiedWords } from './qualified-words.ts';
import { refuseKernelForms } from './refused-forms.ts';
import { wholeRowStars } from './whole-row-stars.ts';

/** The nesting limit of the kernel's parser. Deeper statements are refused before it sees them. */
const MAX_NESTING = 500;
const MAX_STATEMENT_CHARACTERS = 8 * 1024 * 1024;

export interface KernelSource {
  /** The text for the kernel's parser. */
  readonly text: string;
  /** Translates an offset in `text` to the offset in the user's text, both in UTF-16 units. */
  originalOffset(offset: number): number;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * The text for the kernel's parser. Unquoted names are in lower case, and types that the parser cannot spell
 * are in its own notation (`ARRAY(INT NULL)` is `INT[]`, a bare `NUMERIC` is `NUMERIC(38, 9)`). File columns
 * are quoted, and PostgreSQL's own names lose their schema where the parser does not accept one.
 * @throws TesseraError SYNTAX_ERROR for lexical errors and parentheses nested too deeply
 */
export function kernelSource(text: string): KernelSource {
  if (text.length > MAX_STATEMENT_CHARACTERS) {
    fail('SYNTAX_ERROR', { message: `The statement is longer than ${MAX_STATEMENT_CHARACTERS} characters` });
  }
  const tokens = tokenize(text);
  checkNesting(text, tokens);
  refuseKernelForms(text, tokens);
  const edits = [
    ...tokens.flatMap(foldCase),
    ...tokens.flatMap(quoteFileColumn),
    ...tokens.flatMap((token) => unicodeName(token, text)),
    ...tokens.flatMap((_, index) => plainString(tokens, index, text)),
    ...tokens.flatMap((_, index) => unicodeString(tokens, index, text)),
    ...tokens.flatMap((_, index) => symmetricBetween(tokens, index)),
    ...postgresClauses(text, tokens, (type) => kernelSource(`CAST(NULL AS ${type})`).text.slice(13, -1)),
    ...rewriteTypes(tokens),
    ...kernelWords(tokens).map((token) => replace(token, `"${token.image.toLowerCase()}"`)),
    ...jsonOperators(tokens).map(({ first, last, text: operator }) => ({
      start: first.startOffset,
      end: endOf(last),
      text: operator,
    })),
    ...patternQuantifiers(tokens).map(({ token, name }) => replace(token, quoteName(name))),
    ...[...qualifiedWords(tokens), ...wholeRowStars(tokens)].map(omission),
    ...emptySelections(tokens).map((select) => ({ start: endOf(select), end: endOf(select), text: ' 1' })),
  ].sort((a, b) => a.start - b.start);
  return applyEdits(text, edits);
}

function checkNesting(text: string, tokens: readonly IToken[]): void {
  let depth = 0;
  for (const token of tokens) {
    if (token.tokenType === Open) depth += 1;
    else if (token.tokenType === Close) depth -= 1;
    if (depth > MAX_NESTING) {
      fail(
        'SYNTAX_ERROR',
        { message: `Parentheses and brackets are nested more than ${MAX_NESTING} deep` },
        { location: locationAt(text, token.startOffset) },
      );
    }
  }
}

function foldCase(token: IToken): Edit[] {
  if (token.tokenType !== Word || !/[A-Z]/.test(token.image)) return [];
  const folded = token.image.replace(/[A-Z]+/g, (upper) => upper.toLowerCase());
  return [replace(token, folded)];
}

/** The kernel's parser does not support bytes above 127 and `\u` in `E'…'`, so it gets the decoded text. */
function plainString(tokens: readonly IToken[], index: number, text: string): Edit[] {
  const token = tokens[index]!;
  if (token.tokenType !== EscapeString) return [];
  const locate = () => locationAt(text, token.startOffset, endOf(token));
  const textOf = isCastToBytes(tokens, index) ? escapeStringBytes : escapeStringText;
  return [replace(token, quoteText(textOf(token.image, locate)))];
}

/** `E'…'::bytea` or `CAST(E'…' AS bytea)`: the bytes need not be a text. */
function isCastToBytes(tokens: readonly IToken[], index: number): boolean {
  const [first, second, third] = tokens.slice(index + 1, index + 4);
  const type =
    first?.image === '::' ? second : first?.image === ':' && second?.image === ':' ? third : undefined;
  const casted = isWord(first, 'AS') && isWord(tokens[index - 2], 'CAST') ? second : type;
  return isWord(casted, 'BYTEA') || isWord(casted, 'BLOB');
}

/** The kernel's parser does not support `U&'…'`, so it gets the decoded text, without `UESCAPE '…'`. */
function unicodeString(tokens: readonly IToken[], index: number, text: string): Edit[] {
  const token = tokens[index]!;
  if (token.tokenType !== UnicodeString) return [];
  const [word, character] = tokens.slice(index + 1, index + 3);
  const hasEscape = isWord(word, 'UESCAPE') && character !== undefined && isPlainString(character);
  const last = hasEscape ? character : token;
  const locate = () => locationAt(text, token.startOffset, endOf(last));
  const decoded = unicodeStringText(token.image, hasEscape ? stringOf(character) : undefined, locate);
  return [{ start: token.startOffset, end: endOf(last), text: quoteText(decoded) }];
}

/** The kernel's parser does not support `U&"…"`, so it gets the name that it denotes. */
function unicodeName(token: IToken, text: string): Edit[] {
  if (token.tokenType !== QuotedName || token.image.startsWith('"')) return [];
  const locate = () => locationAt(text, token.startOffset, endOf(token));
  return [replace(token, quoteName(unicodeNameText(token.image, locate)))];
}

/** Marks a BETWEEN that was BETWEEN SYMMETRIC, which the kernel's parser does not support. */
const SYMMETRIC_MARK = '/*+symmetric*/';

const SYMMETRIC = /^(?:not(?:\s|\/\*.*?\*\/|--[^\n]*\n)+)?between\/\*\+symmetric\*\//is;

/** Whether the parser's source, from `BETWEEN` or `NOT BETWEEN` on, was BETWEEN SYMMETRIC. */
export const isSymmetricBetween = (source: string): boolean => SYMMETRIC.test(source);

/** `x BETWEEN SYMMETRIC a AND b` → `x BETWEEN a AND b` with a mark; see `rewrites/symmetric-between.ts`. */
function symmetricBetween(tokens: readonly IToken[], index: number): Edit[] {
  const [between, symmetric] = tokens.slice(index, index + 2);
  if (!isWord(between, 'BETWEEN') || !isWord(symmetric, 'SYMMETRIC')) return [];
  return [{ start: endOf(between!), end: endOf(symmetric!), text: SYMMETRIC_MARK }];
}

/** `$source_file_name` and similar names are columns, not parameters. */
function quoteFileColumn(token: IToken): Edit[] {
  if (!isFileColumn(token)) return [];
  return [replace(token, `"${token.image.toLowerCase()}"`)];
}

function rewriteTypes(tokens: readonly IToken[]): Edit[] {
  const edits: Edit[] = [];
  const rewritten = new Set<number>();
  for (const [index, token] of tokens.entries()) {
    if (isWord(token, 'ARRAY') && !rewritten.has(index) && isTypeArguments(tokens, index)) {
      edits.push(...arrayType(tokens, index, rewritten));
    } else if (isWord(token, 'NUMERIC', 'DECIMAL', 'DEC') && isBareDecimal(tokens, index)) {
      edits.push({ start: endOf(token), end: endOf(token), text: '(38,9)' });
    } else if (isWord(token, 'OID') && isCastTarget(tokens, index)) {
      edits.push(replace(token, 'uinteger'));
    } else if (
      isWord(token, 'TIMESTAMP', 'VARCHAR', 'CHAR', 'CHARACTER', 'BPCHAR') &&
      isCastTarget(tokens, index)
    ) {
      edits.push(...limitedType(tokens, index));
    }
  }
  return edits;
}

/**
 * `x::timestamp(3)` → `x::tsr_timestamp(3)`, `x::varchar(3)` → `x::tsr_varchar(3)` and `x::char(3)` → `x::tsr_char(3)`: the kernel's
 * parser drops the number.
 * `rewrites/limited-casts.ts` reads these names.
 */
function limitedType(tokens: readonly IToken[], index: number): Edit[] {
  const isTime = isWord(tokens[index], 'TIMESTAMP');
  const isVarying = isWord(tokens[index], 'VARCHAR') || isWord(tokens[index + 1], 'VARYING');
  const open = isWord(tokens[index + 1], 'VARYING') ? index + 2 : index + 1;
  const [bracket, digits, close, next] = tokens.slice(open, open + 4);
  const isNumber = bracket?.image === '(' && /^\d+$/.test(digits?.image ?? '') && close?.image === ')';
  if (!isNumber || next?.image === '[' || isWord(next, 'ARRAY')) return [];
  const zone = tokens.slice(open + 3, open + 6);
  const hasZone = isWord(zone[1], 'TIME') && isWord(zone[2], 'ZONE');
  if (isTime && hasZone && isWord(zone[0], 'WITH')) return [];
  const last = isTime && hasZone && isWord(zone[0], 'WITHOUT') ? zone[2]! : close!;
  const name = isTime ? 'tsr_timestamp' : isVarying ? 'tsr_varchar' : 'tsr_char';
  return [{ start: tokens[index]!.startOffset, end: endOf(last), text: `${name}(${digits!.image})` }];
}

/** Whether `array(` begins a type, which it does unless a subquery stands in it. */
function isTypeArguments(tokens: readonly IToken[], index: number): boolean {
  if (tokens[index + 1]?.image !== '(') return false;
  return (
    !isWord(tokens[index + 2], 'SELECT', 'WITH', 'VALUES', 'FROM', 'TABLE') &&
    tokens[index + 2]?.image !== '('
  );
}

function arrayType(tokens: readonly IToken[], index: number, rewritten: Set<number>): Edit[] {
  const close = closingOf(tokens, index + 1);
  if (close === undefined) return [];
  const edits: Edit[] = [
    { start: tokens[index]!.startOffset, end: endOf(tokens[index + 1]!), text: '' },
    replace(tokens[close]!, '[]'),
  ];
  if (isWord(tokens[close - 1], 'NULL')) {
    edits.push(replace(tokens[close - 1]!, ''));
    if (isWord(tokens[close - 2], 'NOT')) edits.push(replace(tokens[close - 2]!, ''));
  }
  rewritten.add(index);
  return edits;
}

function isBareDecimal(tokens: readonly IToken[], index: number): boolean {
  const before = tokens[index - 1];
  if (tokens[index + 1]?.image === '(') return false;
  if (isCastTarget(tokens, index) || isWord(tokens[index - 2], 'ARRAY')) return true;
  const isField = before?.tokenType === Word || before?.tokenType === QuotedName;
  return isField && isWord(tokens[enclosingOpen(tokens, index) - 1], 'STRUCT');
}

/** Whether a type is a cast target: `x::oid`, `CAST(x AS oid)`. Elsewhere it is a name. */
function isCastTarget(tokens: readonly IToken[], index: number): boolean {
  const isQualified = tokens[index - 1]?.image === '.' && isWord(tokens[index - 2], 'PG_CATALOG');
  const before = tokens[isQualified ? index - 3 : index - 1];
  if (before?.image === '::') return true;
  if (!isWord(before, 'AS')) return false;
  return isWord(tokens[enclosingOpen(tokens, index) - 1], 'CAST', 'TRY_CAST');
}

/** The index of the enclosing bracket of `index`, or -1 if there is none. */
function enclosingOpen(tokens: readonly IToken[], index: number): number {
  let depth = 0;
  for (let i = index - 1; i >= 0; i -= 1) {
    if (tokens[i]!.tokenType === Close) depth += 1;
    else if (tokens[i]!.tokenType === Open && depth-- === 0) return i;
  }
  return -1;
}

function closingOf(tokens: readonly IToken[], open: number): number | undefined {
  let depth = 0;
  for (let i = open; i < tokens.length; i += 1) {
    if (tokens[i]!.tokenType === Open) depth += 1;
    else if (tokens[i]!.tokenType === Close && --depth === 0) return i;
  }
  return undefined;
}

const endOf = (token: IToken): number => token.startOffset + token.image.length;
const replace = (token: IToken, text: string): Edit => ({
  start: token.startOffset,
  end: endOf(token),
  text,
});

const omission = ({ first, last }: Omission): Edit => ({
  start: first.startOffset,
  end: endOf(last),
  text: ' ',
});

function applyEdits(text: string, edits: readonly Edit[]): KernelSource {
  let out = '';
  let at = 0;
  const last = new Map<number, Edit>();
  for (const edit of edits) last.set(edit.start, edit);
  const placed: { readonly original: number; readonly produced: number }[] = [{ original: 0, produced: 0 }];
  for (const edit of last.values()) {
    if (edit.start < at) continue;
    out += text.slice(at, edit.start) + edit.text;
    at = edit.end;
    placed.push({ original: at, produced: out.length });
  }
  return {
    text: out + text.slice(at),
    originalOffset: (offset) => {
      const anchor = placed.findLast((p) => p.produced <= offset) ?? placed[0]!;
      return Math.min(anchor.original + offset - anchor.produced, text.length);
    },
  };
}

/**
 * The tokens after which a select list has to be inserted, because the parser does not accept an empty one:
 * `EXISTS (SELECT FROM t)` becomes `EXISTS (SELECT 1 FROM t)`.
 */
const emptySelections = (tokens: readonly IToken[]): readonly IToken[] =>
  tokens.filter(
    (token, index) =>
      isWord(token, 'SELECT') &&
      (isWord(tokens[index + 1], 'FROM') || tokens[index + 1]?.image === ')') &&
      tokens[index - 1]?.tokenType === Open &&
      isWord(tokens[index - 2], 'EXISTS'),
  );
