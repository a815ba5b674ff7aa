import { TesseraError } from '@tessera/common';
import {
  classifyStatement,
  locationInText,
  type Statement,
  type StatementText,
  splitStatements,
} from '@tessera/sql';
import { classifyCommand } from '../commands/classify-command.ts';
import type { SessionCommand } from '../commands/session-command.ts';

/** One statement of a text that a client sent. */
export interface ParsedStatement {
  readonly text: string;
  /** The text that contains the statement, and the statement's offset in it. */
  readonly whole: string;
  readonly offset: number;
  readonly work:
    | { readonly by: 'session'; readonly command: SessionCommand }
    | { readonly by: 'engine'; readonly statement: Statement };
}

/**
 * Splits a text into statements without parsing them: the statements before an invalid one must still run.
 */
export const statementTexts = (sql: string): readonly StatementText[] => splitStatements(sql);

/** @throws TesseraError SYNTAX_ERROR and other errors of classification, with a place in the whole text */
export function parseStatement(whole: string, { text, offset }: StatementText): ParsedStatement {
  return placed(whole, { text, offset }, () => {
    const command = classifyCommand(text);
    const work =
      command === undefined
        ? ({ by: 'engine', statement: classifyStatement(text) } as const)
        : ({ by: 'session', command } as const);
    return { text, whole, offset, work };
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
