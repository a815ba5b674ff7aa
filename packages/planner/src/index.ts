export { mirrorBootstrap } from './mirror-bootstrap.ts';
export type { TableScan } from './table-scan.ts';
export { tableScans } from './table-scans.ts';
