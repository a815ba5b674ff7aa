import { splitStatements } from '@tessera/sql';

const END = 'tessera_end';

/** Statements of a text that has been typed so far. */
export interface TypedText {
  /** The statements that a semicolon ends, in order. */
  readonly complete: readonly string[];
  /** The text behind the last semicolon outside strings, names and comments. */
  readonly rest: string;
}

/** Divides a text into statements. A text in which a string, name or comment is still open is only rest. */
export function typedStatements(text: string): TypedText {
  try {
    // The mark makes the last, unfinished statement visible, even if it is empty.
    const statements = splitStatements(`${text}\n${END}`);
    const last = statements.at(-1)!;
    const complete = statements.slice(0, -1).map((statement) => statement.text);
    const rest = last.text === END ? '' : text.slice(last.offset);
    return { complete, rest };
  } catch {
    return { complete: [], rest: text };
  }
}
