import type { QueryParameter, ValueFormat } from '@tessera/sql';
import type { RowSource } from '../statements/row-source.ts';

/** A statement as one of the two protocols asks for it. */
export interface StatementRun {
  readonly parameters: readonly QueryParameter[];
  readonly formats: readonly ValueFormat[];
  /** Another statement may follow before the client hears that all is well: what this one changes is not committed alone. */
  readonly moreMayFollow: boolean;
}

/** With the text of the statement, for the places of errors in it. */
export interface CommandRun extends StatementRun {
  readonly text: string;
}

/** What running a statement comes to. */
export type Outcome =
  /** `tag` is told the rows of this execution. */
  | { readonly kind: 'rows'; readonly rows: RowSource; readonly tag: (rows: number) => string }
  | { readonly kind: 'done'; readonly tag: string }
  /** It speaks with the client itself, and answers its tag. */
  | { readonly kind: 'dialogue'; readonly run: () => Promise<string> };
