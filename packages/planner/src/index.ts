export type { TableScan } from './table-scan.ts';
