import { isVolatile } from '../../relational/expressions/volatility.ts';
import type { FilterRelation, ProjectRelation, UnnestRelation } from '../../relational/relation.ts';
import {
  expressionSources,
  type Fragment,
  type Placed,
  placedAs,
  sameColumns,
  withOperator,
} from './fragment.ts';

/**
 * Computes row-wise operators where the rows are. A volatile expression over replicated rows is computed in
 * one task, because each task would otherwise compute another value.
 */
export function placeRowWise(
  relation: FilterRelation | ProjectRelation | UnnestRelation,
  input: Placed,
): Placed {
  const isRepeatable = !expressionsOf(relation).some(isVolatile);
  return placedAs(
    relation,
    ...input.fragments.map((fragment): Fragment => {
      const placed = withOperator(fragment, { ...relation, input: fragment.relation }, sourcesOf(relation));
      if (isRepeatable) return placed;
      if (placed.placement === 'replicated') return { ...placed, placement: 'single' };
      return placed.placement === 'output' ? { ...placed, placement: 'single', output: undefined } : placed;
    }),
  );
}

function expressionsOf(relation: FilterRelation | ProjectRelation | UnnestRelation) {
  switch (relation.kind) {
    case 'filter':
      return relation.predicates;
    case 'project':
      return relation.expressions;
    case 'unnest':
      return relation.unnests;
  }
}

function sourcesOf(relation: FilterRelation | ProjectRelation | UnnestRelation) {
  switch (relation.kind) {
    case 'filter':
      return sameColumns(relation);
    case 'project':
      return expressionSources(relation.expressions);
    case 'unnest': {
      const width = relation.input.columns.length;
      return relation.columns.map((_, i) => (i < width ? i : undefined));
    }
  }
}
