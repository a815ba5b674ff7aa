import type { KernelSession } from '@tessera/kernel';
import type { StatementSequences } from '../sequences/statement-sequences.ts';
import type { ReadResolution } from './read-resolution.ts';
import type { StatementRelations } from './statement-relations.ts';

/** A statement that is being bound or runs, and what it holds. */
export interface StatementWork {
  readonly session: KernelSession;
  readonly reads: ReadResolution;
  /** Undefined: the node keeps no tables. */
  readonly relations: StatementRelations | undefined;
  /** Undefined: the node keeps no tables. */
  readonly sequences: StatementSequences | undefined;
  /** Has something released together with the statement, before its snapshot. */
  keep(held: { release(): void }): void;
  /** The error as the user should see it. */
  explain(error: unknown): unknown;
  release(): Promise<void>;
}
