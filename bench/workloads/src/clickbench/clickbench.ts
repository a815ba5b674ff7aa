import { generateTables } from '../generate/generate-tables.ts';
import type { Workload } from '../workload.ts';
import { HITS_COLUMNS } from './columns.ts';
import { CLICKBENCH_QUERIES } from './queries.ts';

const HITS = {
  name: 'hits',
  columns: HITS_COLUMNS,
  sortKey: ['counterid', 'eventdate', 'userid', 'eventtime', 'watchid'],
} as const;

/** ClickBench on synthetic hits: distributed like the original log, and the same for the same scale. */
export const clickbench: Workload = {
  name: 'clickbench',
  title: 'ClickBench',
  scaleUnit: '1 M rows',
  tables: [HITS],
  queries: CLICKBENCH_QUERIES,
  generate: async (options) => {
    if (!(options.scale > 0)) throw new Error(`ClickBench has no scale ${options.scale}`);
    const tables = options.tables ?? [HITS.name];
    const unknown = tables.find((table) => table !== HITS.name);
    if (unknown !== undefined) throw new Error(`ClickBench has no table ${unknown}`);
    await generateTables(new URL('./hits.ts', import.meta.url).href, tables, options);
  },
};
