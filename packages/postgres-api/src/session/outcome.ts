import type { QueryParameter, ValueFormat } from '@tessera/sql';
import type { RowSource } from '../statements/row-source.ts';

/** A request of either protocol to run a statement. */
export interface StatementRun {
  readonly parameters: readonly QueryParameter[];
  readonly formats: readonly ValueFormat[];
  /**
   * Whether another statement may follow before success is reported to the client. The changes of this one are
   * then not committed on their own.
   */
  readonly moreMayFollow: boolean;
}

/** A request to run a session command, with the text of its statement for the places of errors. */
export interface CommandRun extends StatementRun {
  readonly text: string;
}

/** The outcome of running a statement. */
export type Outcome =
  /** `tag` builds the command tag from the number of rows of this execution. */
  | { readonly kind: 'rows'; readonly rows: RowSource; readonly tag: (rows: number) => string }
  | { readonly kind: 'done'; readonly tag: string }
  /** The statement exchanges messages with the client itself and returns its command tag. */
  | { readonly kind: 'dialogue'; readonly run: () => Promise<string> };
