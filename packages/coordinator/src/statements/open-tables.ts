import type { Authorizer } from '@tessera/access-control';
import type { Kernel } from '@tessera/kernel';
import { commitOverMerges } from '../changes/commit-over-merges.ts';
import { discardTablets } from '../changes/discard-tablets.ts';
import type { TableServices } from '../tables.ts';
import { Transactions } from '../transactions/transactions.ts';
import { MAINTENANCE_SESSION, Maintenance, type MaintenanceOptions } from '../vacuum/maintenance.ts';
import { observeCommits } from '../vacuum/observed-commits.ts';
import { CatalogStatements, type MakeCredential } from './catalog-statements.ts';

export interface OpenTablesOptions {
  readonly kernel: Kernel;
  readonly authorizer: Authorizer;
  readonly maintenance?: MaintenanceOptions | undefined;
  readonly makeCredential?: MakeCredential | undefined;
}

export interface OpenTables {
  readonly transactions: Transactions;
  readonly statements: CatalogStatements;
  readonly maintenance: Maintenance | undefined;
}

/**
 * Opens everything that changes the tables of a node: statements, transactions, and maintenance after their
 * commits.
 */
export function openTables(services: TableServices, options: OpenTablesOptions): OpenTables {
  const { kernel, authorizer, makeCredential } = options;
  const maintenance = options.maintenance && new Maintenance(services, kernel, options.maintenance);
  const manager = observeCommits(services.manager, (tableIds) => maintenance?.committed(tableIds));
  const tables = { ...services, manager };
  const transactions = new Transactions({
    manager,
    commit: (base, transaction, signal) =>
      commitOverMerges({ tables, kernel, ...MAINTENANCE_SESSION, signal }, base, transaction),
    discard: (actions) => discardTablets(tables, actions),
  });
  const vacuum = {
    maxConcurrency: options.maintenance?.autoVacuum.max_concurrency ?? 1,
    sleepBeforeCommitMs: options.maintenance?.autoVacuum.debug_sleep_before_commit_ms ?? 0,
  };
  const statements = new CatalogStatements(tables, transactions, { vacuum, makeCredential, authorizer });
  return { transactions, statements, maintenance };
}
