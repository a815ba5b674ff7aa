import type { PlanExpression } from '../../plan-nodes.ts';
import type { AggregateRelation } from '../../relational/relation.ts';
import { hasOneRow } from '../tree/one-row.ts';

const ORDER_SENSITIVE =
  /^(?:first|last|any_value|arbitrary|list|array_agg|string_agg|group_concat|listagg|mode|arg_|argm|min_by|max_by|approx|reservoir|histogram)/;

/**
 * Whether tasks with the same rows in another order compute the same result. A single row has one order only.
 */
export const isSameEverywhere = ({ aggregates, input }: AggregateRelation): boolean =>
  hasOneRow(input) ||
  !aggregates.some((aggregate) => ORDER_SENSITIVE.test(aggregate.name ?? '') || isRounded(aggregate));

const EXACT = /^(?:count|min|max|bool_|bit_)/;

/** Whether the result is rounded after each row: sums of DOUBLE values in another order have other last digits. */
const isRounded = ({ name = '', children = [] }: PlanExpression): boolean =>
  !EXACT.test(name) && children.some(({ return_type }) => /^(?:FLOAT|DOUBLE)$/.test(return_type?.id ?? ''));
