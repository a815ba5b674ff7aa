import { redactedQuery } from '@tessera/sql';
import type { SystemRelation } from '../facts/system-relation.ts';
import { type PostgresFacts, userRelations } from './postgres-facts.ts';
import { catalogRelation, type Row } from './row.ts';

/** `pg_tables`. */
export const tables = (facts: PostgresFacts): SystemRelation =>
  catalogRelation('pg_tables', tableRows(facts));

function* tableRows(facts: PostgresFacts): Generator<Row> {
  for (const { schema, relation } of userRelations(facts)) {
    if (relation.kind !== 'table') continue;
    yield {
      schemaname: schema.name,
      tablename: relation.name,
      tableowner: relation.owner,
      hasindexes: relation.primaryIndex.length + relation.indexes.length > 0,
      hasrules: false,
      hastriggers: false,
      rowsecurity: false,
    };
  }
}

/** `pg_views`. */
export const views = (facts: PostgresFacts): SystemRelation => catalogRelation('pg_views', viewRows(facts));

function* viewRows(facts: PostgresFacts): Generator<Row> {
  for (const { schema, relation } of userRelations(facts)) {
    if (relation.kind !== 'view') continue;
    yield {
      schemaname: schema.name,
      viewname: relation.name,
      viewowner: relation.owner,
      definition: viewDefinition(relation.sql),
    };
  }
}

/** The text of a view as `pg_get_viewdef` returns it, without secrets. */
export const viewDefinition = (sql: string): string => `${redactedQuery(sql).replace(/[;\s]+$/, '')};`;

const COUNTERS = [
  'seq_scan',
  'seq_tup_read',
  'idx_scan',
  'idx_tup_fetch',
  'n_tup_ins',
  'n_tup_upd',
  'n_tup_del',
  'n_tup_hot_upd',
  'n_mod_since_analyze',
  'n_ins_since_vacuum',
  'vacuum_count',
  'autovacuum_count',
  'analyze_count',
  'autoanalyze_count',
];
const ZEROS: Row = Object.fromEntries(COUNTERS.map((name) => [name, 0]));

/** `pg_stat_user_tables` and `pg_stat_all_tables`: the number of rows; nothing else is counted. */
export const tableStatistics =
  (name: string) =>
  (facts: PostgresFacts): SystemRelation =>
    catalogRelation(name, statisticsRows(facts));

function* statisticsRows(facts: PostgresFacts): Generator<Row> {
  for (const { oid, schema, relation } of userRelations(facts)) {
    if (relation.kind !== 'table') continue;
    const { rows, deletedRows } = facts.snapshot.totals(relation.id);
    yield {
      ...ZEROS,
      relid: oid,
      schemaname: schema.name,
      relname: relation.name,
      n_live_tup: rows - deletedRows,
      n_dead_tup: deletedRows,
    };
  }
}

/** `pg_rewrite`: each view has the rule `_RETURN`. */
export const rewriteRules = (facts: PostgresFacts): SystemRelation =>
  catalogRelation(
    'pg_rewrite',
    [...userRelations(facts)]
      .filter(({ relation }) => relation.kind === 'view')
      .map(({ oid, relation }) => ({
        oid: facts.oids.ofName(`rule ${relation.id}`),
        rulename: '_RETURN',
        ev_class: oid,
        ev_type: '1',
        ev_enabled: 'O',
        is_instead: true,
      })),
  );
