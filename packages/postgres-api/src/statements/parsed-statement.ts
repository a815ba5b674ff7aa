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
  /** What it is a part of, and where it begins there. */
  readonly whole: string;
  readonly offset: number;
  readonly work:
    | { readonly by: 'session'; readonly command: SessionCommand }
    | { readonly by: 'engine'; readonly statement: Statement };
}

/** The statements of a text, not understood yet: those before a broken one are still to run. */
export const statementTexts = (sql: string): readonly StatementText[] => splitStatements(sql);

/** @throws TesseraError SYNTAX_ERROR and what else is wrong with its kind; the place is one in the whole text */
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

/** Errors of a statement, with their place in the text that the client sent. */
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
