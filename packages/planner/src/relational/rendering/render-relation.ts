import type { Relation } from '../relation.ts';
import { renderAggregate } from './operators/aggregate.ts';
import { renderJoin, renderPositionalJoin } from './operators/join.ts';
import { renderFunction, renderLeaf, renderValues } from './operators/leaves.ts';
import {
  renderDistinct,
  renderFilter,
  renderProject,
  renderSample,
  renderUnnest,
  renderWindow,
} from './operators/one-input.ts';
import { renderLimit, renderSort } from './operators/order.ts';
import { renderSet } from './operators/set.ts';
import { renderRecursive, renderReference, renderShared } from './operators/shared.ts';
import type { QueryBlock } from './query-block.ts';
import type { RenderScope } from './render-scope.ts';

/** Renders a relation as a block of SQL; each kind has a file of its own. */
export function renderRelation(relation: Relation, scope: RenderScope): QueryBlock {
  switch (relation.kind) {
    case 'scan':
    case 'session':
    case 'input':
      return renderLeaf(relation, scope);
    case 'function':
      return renderFunction(relation, scope);
    case 'values':
      return renderValues(relation, scope);
    case 'filter':
      return renderFilter(relation, scope);
    case 'project':
      return renderProject(relation, scope);
    case 'join':
      return renderJoin(relation, scope);
    case 'positional_join':
      return renderPositionalJoin(relation, scope);
    case 'aggregate':
      return renderAggregate(relation, scope);
    case 'distinct':
      return renderDistinct(relation, scope);
    case 'window':
      return renderWindow(relation, scope);
    case 'sort':
      return renderSort(relation, scope);
    case 'limit':
      return renderLimit(relation, scope);
    case 'sample':
      return renderSample(relation, scope);
    case 'set':
      return renderSet(relation, scope);
    case 'unnest':
      return renderUnnest(relation, scope);
    case 'shared':
      return renderShared(relation, scope);
    case 'reference':
      return renderReference(relation, scope);
    case 'recursive':
      return renderRecursive(relation, scope);
  }
}
