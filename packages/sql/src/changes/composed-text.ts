import type { SqlLocation } from '@tessera/common';
import { locationAt } from '../text/location.ts';
import type { SqlText } from '../text/token-cursor.ts';

interface Piece {
  readonly start: number;
  readonly end: number;
  /**
   * The offset at which the piece begins in the statement, or one place of the statement for the whole piece.
   */
  readonly origin: number | SqlLocation;
}

/**
 * A query composed of pieces of a statement and of generated text. It knows where in the statement each piece
 * came from.
 */
export class ComposedText {
  #sql = '';
  readonly #pieces: Piece[] = [];

  get sql(): string {
    return this.#sql;
  }

  add(sql: string): this {
    this.#sql += sql;
    return this;
  }

  /**
   * Appends text of the statement, and a line break so that a line comment at its end does not swallow what
   * follows.
   */
  piece({ sql, offset }: SqlText): this {
    return this.#placed(sql, offset).add('\n');
  }

  /** Appends text of the statement without a line break after it. */
  span({ sql, offset }: SqlText): this {
    return this.#placed(sql, offset);
  }

  /** Appends another composed text and keeps the places of its pieces. */
  append(other: ComposedText): this {
    const shift = this.#sql.length;
    this.#sql += other.#sql;
    for (const { start, end, origin } of other.#pieces) {
      this.#pieces.push({ start: start + shift, end: end + shift, origin });
    }
    return this;
  }

  /** Appends generated text whose errors are reported at the given place of the statement. */
  placed(sql: string, location: SqlLocation | undefined): this {
    return location === undefined ? this.add(sql) : this.#placed(sql, location);
  }

  /** Appends each item with `write`, with `separator` between the items. */
  list<T>(items: readonly T[], separator: string, write: (item: T, index: number) => void): this {
    for (const [index, item] of items.entries()) {
      if (index > 0) this.add(separator);
      write(item, index);
    }
    return this;
  }

  /**
   * The place in `statement`, from which the pieces were cut, that corresponds to a place in `sql`; undefined
   * if that part of `sql` was generated.
   */
  locate(at: SqlLocation, statement: string): SqlLocation | undefined {
    const start = offsetOf(this.#sql, at.line, at.startColumn);
    const piece = this.#pieces.findLast((p) => p.start <= start && start < p.end);
    if (piece === undefined) return undefined;
    if (typeof piece.origin !== 'number') return piece.origin;
    const end = Math.min(offsetOf(this.#sql, at.line, at.endColumn) + 1, piece.end);
    return locationAt(statement, piece.origin + start - piece.start, piece.origin + end - piece.start);
  }

  #placed(sql: string, origin: number | SqlLocation): this {
    const start = this.#sql.length;
    this.#sql += sql;
    this.#pieces.push({ start, end: this.#sql.length, origin });
    return this;
  }
}

/** The WITH clause that precedes the statement, if there is one, as the start of the statement's query. */
export function leadingWith({ with: leading }: { readonly with?: SqlText | undefined }): ComposedText {
  const text = new ComposedText();
  return leading === undefined ? text : text.piece(leading);
}

/** The offset in UTF-16 units of a line and a column. Both count from 1; columns count characters. */
function offsetOf(text: string, line: number, column: number): number {
  let offset = 0;
  for (let i = 1; i < line; i += 1) offset = text.indexOf('\n', offset) + 1;
  for (let i = 1; i < column; i += 1) offset += (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1;
  return offset;
}
