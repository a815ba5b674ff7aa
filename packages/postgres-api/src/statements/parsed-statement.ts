import { TesseraError } from '@tessera/common';
import { classifyStatement, locationInText, type Statement, type StatementText } from '@tessera/sql';
import { classifyCommand } from '../commands/classify-command.ts';
import type { SessionCommand } from '../commands/session-command.ts';

/** One statement of a text that a client sent. */
export interface ParsedStatement extends StatementText {
  /** The text that contains the statement. */
  readonly whole: string;
  readonly work:
    | { readonly by: 'session'; readonly command: SessionCommand }
    | { readonly by: 'engine'; readonly statement: Statement };
}

/** @throws TesseraError SYNTAX_ERROR and other errors of classification, with a place in the whole text */
export function parseStatement(whole: string, statement: StatementText): ParsedStatement {
  const { text } = statement;
  return placed(whole, statement, () => {
    const command = classifyCommand(text);
    const work =
      command === undefined
        ? ({ by: 'engine', statement: classifyStatement(text) } as const)
        : ({ by: 'session', command } as const);
    return { ...statement, whole, work };
  });
}

/** Translates the places of a statement's errors to the text that the client sent. */
function placed<T>(whole: string, statement: StatementText, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw inWholeText(error, whole, statement);
  }
}

export function inWholeText(error: unknown, whole: string, statement: StatementText): unknown {
  if (!(error instanceof TesseraError) || error.location === undefined) return error;
  return error.with({ location: locationInText(whole, statement, error.location) });
}
