import type { Authorizer } from '@tessera/access-control';
import type { Kernel } from '@tessera/kernel';
import { CatalogStatements, type MakeCredential } from './catalog-statements.ts';
import { discardTablets } from './changes/discard-tablets.ts';
import type { TableServices } from './tables.ts';
import { Transactions } from './transactions.ts';
import { observeCommits } from './vacuum/observed-commits.ts';
import { Upkeep, type UpkeepOptions } from './vacuum/upkeep.ts';

export interface OpenTablesOptions {
  readonly kernel: Kernel;
  readonly authorizer: Authorizer;
  readonly upkeep?: UpkeepOptions | undefined;
  readonly makeCredential?: MakeCredential | undefined;
}

export interface OpenTables {
  readonly transactions: Transactions;
  readonly statements: CatalogStatements;
  readonly upkeep: Upkeep | undefined;
}

/** What changes the tables of a node: statements, transactions, and upkeep after their commits. */
export function openTables(services: TableServices, options: OpenTablesOptions): OpenTables {
  const { kernel, authorizer, makeCredential } = options;
  const upkeep = options.upkeep && new Upkeep(services, kernel, options.upkeep);
  const manager = observeCommits(services.manager, (tableIds) => upkeep?.committed(tableIds));
  const tables = { ...services, manager };
  const transactions = new Transactions({
    manager,
    discard: (actions) => discardTablets(tables, actions),
  });
  const vacuum = {
    maxConcurrency: options.upkeep?.autoVacuum.max_concurrency ?? 1,
    sleepBeforeCommitMs: options.upkeep?.autoVacuum.debug_sleep_before_commit_ms ?? 0,
  };
  const statements = new CatalogStatements(tables, transactions, { vacuum, makeCredential, authorizer });
  return { transactions, statements, upkeep };
}
