import type { Workload } from '../workload.ts';
import { generateTpch } from './generate-tpch.ts';
import { TPCH_QUERIES } from './queries.ts';
import { TPCH_TABLES } from './tables.ts';

/** TPC-H by its specification: the tables equal those of the TPC's own generator, value by value. */
export const tpch: Workload = {
  name: 'tpch',
  title: 'TPC-H',
  scaleUnit: '1 GB of rows',
  tables: TPCH_TABLES,
  queries: TPCH_QUERIES,
  generate: generateTpch,
};
