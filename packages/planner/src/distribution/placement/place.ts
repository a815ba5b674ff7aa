import type { Relation } from '../../relational/relation.ts';
import { materializedBefore } from './exchange.ts';
import type { Place, Placed } from './fragment.ts';
import { placeAggregate } from './place-aggregate.ts';
import { placeDistinct } from './place-distinct.ts';
import { placeJoin } from './place-join.ts';
import { placeFunction, placeScan, placeSession, placeValues } from './place-leaf.ts';
import { placeLimit } from './place-limit.ts';
import { placeRowWise } from './place-row-wise.ts';
import { placeSample } from './place-sample.ts';
import { placeSet } from './place-set.ts';
import { placeReference, placeShared } from './place-shared.ts';
import { placeSingle } from './place-single.ts';
import { placeSort } from './place-sort.ts';
import { placeWindow } from './place-window.ts';
import type { Planning } from './planning.ts';

/** Decides where the rows of a relation are computed, and which exchanges this needs. */
export function place(planning: Planning, relation: Relation, isResult = false): Placed {
  const before = materializedBefore(planning, relation);
  if (before !== undefined) return before;
  const below: Place = (inner, result = false) => place(planning, inner, result);
  switch (relation.kind) {
    case 'scan':
      return placeScan(planning, relation);
    case 'session':
      return placeSession(relation);
    case 'values':
      return placeValues(relation);
    case 'function':
      return placeFunction(relation, below);
    case 'filter':
    case 'project':
    case 'unnest':
      return placeRowWise(relation, below(relation.input, isResult));
    case 'join':
      return placeJoin(planning, relation, below);
    case 'aggregate':
      return placeAggregate(planning, relation, below);
    case 'distinct':
      return placeDistinct(planning, relation, below);
    case 'window':
      return placeWindow(planning, relation, below);
    case 'sort':
      return placeSort(planning, relation, below, isResult);
    case 'limit':
      return placeLimit(planning, relation, below);
    case 'sample':
      return placeSample(planning, relation, below);
    case 'set':
      return placeSet(planning, relation, below);
    case 'shared':
      return placeShared(planning, relation, below, isResult);
    case 'reference':
      return placeReference(planning, relation);
    case 'positional_join':
    case 'recursive':
      return placeSingle(planning, relation, below);
    case 'input':
      throw new RangeError('Rows of a stage are not placed again');
  }
}
