import type { KernelSession } from '@tessera/kernel';
import type { StatementSequences } from '../sequences/statement-sequences.ts';
import type { ReadResolution } from './read-resolution.ts';
import type { StatementRelations } from './statement-relations.ts';

/** A statement that is being bound or run, and the resources that it holds. */
export interface StatementWork {
  readonly session: KernelSession;
  readonly reads: ReadResolution;
  /** Undefined if the node keeps no tables. */
  readonly relations: StatementRelations | undefined;
  /** Undefined if the node keeps no tables. */
  readonly sequences: StatementSequences | undefined;
  /** Releases something together with the statement, before its snapshot. */
  keep(held: { release(): void }): void;
  /** Translates an error for the user. */
  explain(error: unknown): unknown;
  release(): Promise<void>;
}
