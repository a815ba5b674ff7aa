import type { SessionValues, TemporaryTables } from '@tessera/coordinator';
import type { SessionParameters } from '../parameters/session-parameters.ts';
import type { ClientStream } from '../protocol/client-stream.ts';
import type { Report } from '../protocol/report.ts';
import type { EngineStatements } from '../statements/engine-statements.ts';
import type { ParsedStatement } from '../statements/parsed-statement.ts';
import type { Outcome, StatementRun } from './outcome.ts';
import type { Portals } from './portal.ts';
import type { PreparedStatements } from './prepared-statement.ts';
import type { SessionLocks } from './session-locks.ts';
import type { SessionTransaction } from './session-transaction.ts';

/** The state that a connection keeps between statements. */
export interface SessionState {
  readonly user: string;
  database: string | undefined;
  /** The values that `nextval` returned, for `currval`. */
  readonly drawn: SessionValues;
  readonly temporary: TemporaryTables;
  readonly locks: SessionLocks;
  readonly parameters: SessionParameters;
  readonly transaction: SessionTransaction;
  readonly statements: PreparedStatements;
  readonly portals: Portals;
  readonly engine: EngineStatements;
  readonly stream: ClientStream;
  readonly limits: { readonly maxMessageBytes: number; readonly maxCopyBytes: number };
  /** Starts a statement. @throws TesseraError if it is invalid */
  start(parsed: ParsedStatement, run: StatementRun): Promise<Outcome>;
  /** Sends the client a notice or warning. */
  notify(report: Report): void;
}
