export type { Expression, QueryNode, Statement as ParsedStatement, TableRef } from './tree.ts';
