import { quoteIdentifier } from '@tessera/sql';
import { unsupported } from '../../unsupported-plan.ts';
import type { LeafRelation } from '../leaf-relation.ts';
import { plainBlock, type QueryBlock } from '../query-block.ts';
import type { RenderScope } from '../render-scope.ts';
import { hole, sql } from '../sql-parts.ts';

/** Renders `<hole> AS t`, or a local relation as it is. */
export function renderLeaf(relation: LeafRelation, scope: RenderScope): QueryBlock {
  const alias = scope.alias();
  const leaf = scope.leaf(relation);
  if (leaf !== undefined)
    return plainBlock(sql`${hole(leaf.hole)} AS ${alias}`, qualified(alias, leaf.columns));
  if (relation.kind !== 'session') return unsupported(`a relation of kind ${relation.kind} without its rows`);
  return plainBlock(sql`${relation.sql} AS ${alias}`, qualified(alias, relation.names));
}

const qualified = (alias: string, names: readonly string[]): readonly string[] =>
  names.map((name) => `${alias}.${quoteIdentifier(name)}`);
