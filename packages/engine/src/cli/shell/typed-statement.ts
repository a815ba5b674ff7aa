import { locationAt } from '@tessera/sql';
import { errorReport, type ReportedError } from '../query/error-report.ts';
import type { Row } from './result-messages.ts';

/** A part of a statement for which the statement that is sent has another text. Offsets count UTF-16 units. */
export interface Replacement {
  readonly from: number;
  readonly to: number;
  readonly sent: string;
}

/** A statement as the user typed it and as it is sent, with uploads in place of files. */
export class TypedStatement {
  readonly sql: string;
  readonly #typed: string;
  readonly #replacements: readonly Replacement[];
  /** The name of each upload's file as the user typed it. */
  readonly #names: ReadonlyMap<string, string>;

  constructor(
    typed: string,
    replacements: readonly Replacement[] = [],
    names: ReadonlyMap<string, string> = new Map(),
  ) {
    this.#typed = typed;
    this.#replacements = replacements;
    this.#names = names;
    let end = 0;
    let sql = '';
    for (const { from, to, sent } of replacements) {
      sql += typed.slice(end, from) + sent;
      end = to;
    }
    this.sql = sql + typed.slice(end);
  }

  /** A message of the engine with the files as the user named them. */
  textAsTyped(text: string): string {
    return text.replaceAll(/upload:\/\/([\w.-]*\w)/g, (url, name) => this.#names.get(name) ?? url);
  }

  /** The rows of a plan, which names files; other rows are returned as they are. */
  rowsAsTyped(rows: readonly Row[]): readonly Row[] {
    if (this.#names.size === 0 || !/^\s*EXPLAIN\b/i.test(this.#typed)) return rows;
    return rows.map((row) =>
      row.map((value) => (typeof value === 'string' ? this.textAsTyped(value) : value)),
    );
  }

  /** Errors of the engine as text, with the names and the places of the statement that was typed. */
  report(errors: readonly ReportedError[]): string {
    return errorReport(
      this.#replacements.length === 0 ? errors : errors.map((error) => this.#asTyped(error)),
      this.#typed,
    );
  }

  #asTyped({ description = '', resolution, location }: ReportedError): ReportedError {
    const texts = {
      description: this.textAsTyped(description),
      ...(resolution && { resolution: this.textAsTyped(resolution) }),
    };
    if (!location) return texts;
    const place = this.#placeAsTyped(location);
    const prefix = `Line ${place.failing_line}, Column ${place.start_offset}:`;
    return {
      ...texts,
      description: texts.description.replace(/^Line \d+, Column \d+:/, prefix),
      location: place,
    };
  }

  #placeAsTyped({ failing_line = 1, start_offset = 1, end_offset }: NonNullable<ReportedError['location']>) {
    const from = this.#offsetAsTyped(offsetOf(this.sql, failing_line, start_offset), 'from');
    const to = this.#offsetAsTyped(offsetOf(this.sql, failing_line, (end_offset ?? start_offset) + 1), 'to');
    const { line, startColumn, endColumn } = locationAt(this.#typed, from, Math.max(to, from + 1));
    return { failing_line: line, start_offset: startColumn, end_offset: endColumn };
  }

  /** The offset in the typed text; a place inside of a replacement becomes one of its ends. */
  #offsetAsTyped(offset: number, end: 'from' | 'to'): number {
    let shift = 0;
    for (const replacement of this.#replacements) {
      const from = replacement.from + shift;
      if (offset <= from) break;
      if (offset < from + replacement.sent.length) return replacement[end];
      shift += replacement.sent.length - (replacement.to - replacement.from);
    }
    return offset - shift;
  }
}

/** The offset of a place in UTF-16 units. Lines and columns count from 1, columns in characters. */
function offsetOf(text: string, line: number, column: number): number {
  const lines = text.split('\n');
  const before = lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0);
  const characters = [...(lines[line - 1] ?? '')];
  return before + characters.slice(0, column - 1).join('').length;
}
