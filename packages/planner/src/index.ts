export type { Comparison, Conjunct, TableScan } from './table-scan.ts';
