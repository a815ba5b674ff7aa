import {
  type Action,
  BOOTSTRAP_SCHEMA,
  CatalogState,
  type ObjectId,
  type TableObject,
  type TabletId,
} from '@tessera/catalog';
import { newUlid } from '@tessera/common';
import { selectTablets } from '../src/read/table-selection.ts';

/**
 * Measures planning of a pruned query over very many tablets: the time in milliseconds to choose what is
 * read.
 */

const TABLETS = 100_000;
const NOW = new Date().toISOString();

const table: TableObject = {
  kind: 'table',
  id: newUlid() as ObjectId,
  name: 't',
  createdAt: NOW,
  alteredAt: NOW,
  owner: 'bench',
  schemaId: BOOTSTRAP_SCHEMA.id,
  tableType: 'FACT',
  columns: Array.from({ length: 16 }, (_, i) => ({
    id: i + 1,
    name: `c${i}`,
    storedName: `c${i}`,
    type: i % 2 === 0 ? 'BIGINT' : 'VARCHAR',
    nullable: true,
    since: 0,
  })),
  primaryIndex: [1],
  partitionBy: [],
  indexGranularity: 122_880,
  schemaVersion: 0,
  nextColumnId: 17,
  indexes: [],
};

const actions: Action[] = [{ kind: 'create', object: table }];
for (let i = 0; i < TABLETS; i++) {
  const id = newUlid() as TabletId;
  actions.push({
    kind: 'add_tablet',
    tablet: {
      id,
      tableId: table.id,
      schemaVersion: 0,
      layout: 'wide',
      key: `tablets/${table.id}/${id}.parquet`,
      rows: 1_000_000,
      bytes: 128 << 20,
      uncompressedBytes: 512 << 20,
      granules: 9,
      headerOffset: 1,
      footerOffset: 2,
      tailCrc32c: 3,
      partition: [],
      statistics: table.columns.map(({ id: column }) => ({
        column,
        min: String(i * 1000),
        max: String(i * 1000 + 999),
        nulls: 0,
      })),
      createdAt: NOW,
    },
  });
}
const snapshot = CatalogState.empty.withActions(actions);

for (const value of ['50000500', '1', '99999999', '12345678']) {
  const started = performance.now();
  const { tablets } = selectTablets(
    table,
    {
      relation: 't',
      columns: ['c0', 'c1'],
      named: ['c0', 'c1'],
      filters: [[{ kind: 'compare', column: 'c0', operator: '=', value }]],
    },
    snapshot,
    true,
  );
  process.stdout.write(
    `c0 = ${value}: ${tablets.length} of ${TABLETS} tablets in ${(performance.now() - started).toFixed(1)} ms\n`,
  );
}
