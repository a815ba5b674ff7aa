import { fail, type SqlLocation } from '@tessera/common';
import { EOF, type IToken } from 'chevrotain';
import { isWord, nameOf, QuotedName, stringOf, tokenize, Word } from './lexer.ts';
import { locationAt } from './location.ts';

/** A piece of a statement and where it begins, in characters. */
export interface SqlText {
  readonly sql: string;
  readonly offset: number;
}

/** Reads the tokens of one statement from left to right. */
export class TokenCursor {
  readonly text: string;
  readonly tokens: readonly IToken[];
  #at = 0;

  constructor(text: string) {
    this.text = text;
    this.tokens = tokenize(text);
  }

  get index(): number {
    return this.#at;
  }

  /** The token `ahead` positions after the next one; undefined beyond the end. */
  peek(ahead = 0): IToken | undefined {
    return this.tokens[this.#at + ahead];
  }

  /** Whether the next tokens are these words. */
  isAt(...words: readonly string[]): boolean {
    return words.every((word, i) => isWord(this.peek(i), word));
  }

  /** Whether the next token is this symbol. */
  isAtSymbol(image: string): boolean {
    return this.peek()?.image === image;
  }

  /** Consumes the words if they come next. */
  accept(...words: readonly string[]): boolean {
    if (!this.isAt(...words)) return false;
    this.#at += words.length;
    return true;
  }

  acceptSymbol(image: string): boolean {
    if (this.peek()?.image !== image) return false;
    this.#at += 1;
    return true;
  }

  next(): IToken | undefined {
    const token = this.peek();
    if (token !== undefined) this.#at += 1;
    return token;
  }

  expectSymbol(image: string): void {
    if (!this.acceptSymbol(image)) this.unexpected(`"${image}"`);
  }

  expectWord(word: string): void {
    if (!this.accept(word)) this.unexpected(word);
  }

  expectName(what: string): string {
    const token = this.peek();
    if (token?.tokenType !== Word && token?.tokenType !== QuotedName) return this.unexpected(what);
    this.#at += 1;
    return nameOf(token);
  }

  /** Consumes a literal as text: a string, a number with its sign, or a bare word. */
  expectValue(what: string): string {
    const sign = this.acceptSymbol('-') ? '-' : this.acceptSymbol('+') ? '' : '';
    const token = this.next();
    if (token === undefined) return this.unexpected(what);
    const string = stringOf(token);
    if (string !== undefined) return string;
    if (token.tokenType === QuotedName) return nameOf(token);
    if (!/^[\w.]/.test(token.image)) {
      this.#at -= 1;
      return this.unexpected(what);
    }
    return sign + token.image;
  }

  /** The token before the next one. */
  get previous(): IToken | undefined {
    return this.tokens[this.#at - 1];
  }

  /** The offset of the next token; beyond the last one, the end of the text. */
  get offset(): number {
    return this.peek()?.startOffset ?? this.text.length;
  }

  /** The place of the text from `offset` to the end of the last consumed token. */
  locationFrom(offset: number): SqlLocation {
    const last = this.previous;
    return locationAt(
      this.text,
      offset,
      last === undefined ? offset + 1 : last.startOffset + last.image.length,
    );
  }

  locationOf(token: IToken): SqlLocation {
    return locationAt(this.text, token.startOffset, token.startOffset + token.image.length);
  }

  /** The text from `offset` to the end of the last consumed token. */
  textFrom(offset: number): SqlText {
    const last = this.previous;
    const end = last === undefined ? offset : last.startOffset + last.image.length;
    return { sql: this.text.slice(offset, end), offset };
  }

  expectEnd(): void {
    if (this.peek() !== undefined) this.unexpected('the end of the statement');
  }

  unexpected(expected: string): never {
    const token = this.peek();
    const found = token === undefined || token.tokenType === EOF ? 'the end of the statement' : shown(token);
    const offset = token?.startOffset ?? this.text.length;
    return fail(
      'SYNTAX_ERROR',
      { message: `Expected ${expected}, found ${found}` },
      { location: locationAt(this.text, offset, offset + (token?.image.length ?? 1)) },
    );
  }
}

/**
 * Strings are not repeated in messages: in CREATE LOCATION and CREATE USER they may be secrets, which must
 * not reach logs.
 */
const shown = (token: IToken): string =>
  stringOf(token) === undefined ? `"${token.image}"` : 'a text in quotes';
