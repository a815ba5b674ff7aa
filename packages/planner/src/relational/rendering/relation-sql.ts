import type { SqlTemplate } from '../../distributed-plan.ts';
import type { Relation } from '../relation.ts';
import type { Leaf, LeafRelation } from './leaf-relation.ts';
import { blockQuery, type QueryBlock } from './query-block.ts';
import { renderRelation } from './render-relation.ts';
import type { RenderScope } from './render-scope.ts';

export interface RelationSqlOptions {
  /** Where it answers nothing, `local` relations stand as their own SQL, and scans and inputs cannot be rendered. */
  readonly leaf?: (relation: LeafRelation) => Leaf | undefined;
  /** Names of the result's columns; `c0` to `cn` where there are none. */
  readonly names?: readonly string[];
}

/**
 * A query of the kernel that gives the rows of the relation: the same values of the same types, in the order that the
 * relation says. A relation without columns gives one that means nothing.
 *
 * @throws UnsupportedPlan
 */
export function relationSql(relation: Relation, options: RelationSqlOptions = {}): SqlTemplate {
  let aliases = 0;
  const scope: RenderScope = {
    leaf: options.leaf ?? (() => undefined),
    alias: () => `t${aliases++}`,
    render: (inner) => renderRelation(inner, scope),
    shared: new Map(),
  };
  const block = scope.render(relation);
  const { names } = options;
  return names === undefined ? blockQuery(block) : namedQuery(block, scope.alias(), names);
}

function namedQuery(block: QueryBlock, alias: string, names: readonly string[]): SqlTemplate {
  const columns = names.map((name, i) => `${alias}.c${i} AS "${name.replaceAll('"', '""')}"`).join(', ');
  return [`SELECT ${columns} FROM (`, ...blockQuery(block), `) AS ${alias}`];
}
