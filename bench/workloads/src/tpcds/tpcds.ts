import { generateTables } from '../generate/generate-tables.ts';
import type { Workload } from '../workload.ts';
import { tpcdsQueries } from './queries.ts';
import { rowCounts } from './row-counts.ts';
import { TPCDS_TABLES, tableOf } from './schema.ts';

/** TPC-DS by a generator of our own: the tables, keys, hierarchies and skews of the specification, not dsdgen's values. */
export const tpcds: Workload = {
  name: 'tpcds',
  title: 'TPC-DS',
  scaleUnit: '1 GB of rows',
  tables: TPCDS_TABLES,
  get queries() {
    return tpcdsQueries();
  },
  generate: async (options) => {
    rowCounts(options.scale);
    const tables = options.tables ?? TPCDS_TABLES.map(({ name }) => name);
    for (const table of tables) tableOf(table);
    await generateTables(new URL('./sources.ts', import.meta.url).href, tables, options);
  },
};
