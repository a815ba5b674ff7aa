import { locationInText, type StatementText, splitStatements } from '@tessera/sql';

const END = 'tessera_end';

/** Statements of a text that has been typed so far. */
export interface TypedText {
  /** The statements that a semicolon ends, in order. */
  readonly complete: readonly StatementText[];
  /** The text after the last semicolon outside strings, names and comments. */
  readonly rest: string;
}

/** Divides a text into statements. A text in which a string, name or comment is still open is only rest. */
export function typedStatements(text: string): TypedText {
  try {
    // The mark makes the last, unfinished statement visible, even if it is empty.
    const statements = splitStatements(`${text}\n${END}`);
    const last = statements.at(-1)!;
    const rest = last.text === END ? '' : text.slice(last.offset);
    return { complete: statements.slice(0, -1), rest };
  } catch {
    return { complete: [], rest: text };
  }
}

/** An error message of a statement, with the place in the script that contains the statement. */
export const messageInScript = (message: string, script: string, statement: StatementText): string =>
  message.replace(/^error: Line (\d+), Column (\d+)(?=:)/, (_, line, column) => {
    const place = { line: Number(line), startColumn: Number(column), endColumn: Number(column) };
    const { line: inScript, startColumn } = locationInText(script, statement, place);
    return `error: Line ${inScript}, Column ${startColumn}`;
  });
