import type { SqlTemplate } from '../../distributed-plan.ts';
import type { Relation } from '../relation.ts';
import type { Leaf, LeafRelation } from './leaf-relation.ts';
import { blockQuery, type QueryBlock } from './query-block.ts';
import { renderRelation } from './render-relation.ts';
import type { RenderScope } from './render-scope.ts';

export interface RelationSqlOptions {
  /**
   * Returns the SQL for a leaf. For undefined results, `local` relations use their own SQL, and scans and
   * inputs cannot be rendered.
   */
  readonly leaf?: (relation: LeafRelation) => Leaf | undefined;
  /** The names of the result's columns; by default `c0` to `cn`. */
  readonly names?: readonly string[];
}

/**
 * A query of the kernel that returns the rows of the relation: the same values of the same types, in the
 * relation's order. A relation without columns returns one dummy column.
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
