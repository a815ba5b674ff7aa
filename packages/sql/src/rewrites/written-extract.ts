import type { FunctionNode } from '../tree.ts';

const DATE_PART = /^(?:"?pg_catalog"?\s*\.\s*)?"?date_part\b/i;

/**
 * `extract(year FROM d)`, which the parser turns into `date_part('year', d)` → `extract('year', d)`: the column of a result has the
 * name that was written.
 * @param source the text of the statement from the call on
 */
export const writtenExtract = (node: FunctionNode, source: string): FunctionNode =>
  node.function_name === 'date_part' && !DATE_PART.test(source)
    ? { ...node, function_name: 'extract' }
    : node;
