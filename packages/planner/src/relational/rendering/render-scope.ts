import type { SqlTemplate } from '../../distributed-plan.ts';
import type { PlanExpression } from '../../plan-nodes.ts';
import type { Relation } from '../relation.ts';
import { expressionSql } from './expressions/expression-sql.ts';
import type { Leaf, LeafRelation } from './leaf-relation.ts';
import { blockQuery, isSimple, plainBlock, plainColumns, type QueryBlock } from './query-block.ts';
import { sql } from './sql-parts.ts';

export interface RenderScope {
  readonly leaf: (relation: LeafRelation) => Leaf | undefined;
  /** Returns a name that is unique in the query. */
  readonly alias: () => string;
  readonly render: (relation: Relation) => QueryBlock;
  /** Shared relations by id, as they are written in FROM. */
  readonly shared: Map<number, string>;
}

/** The relation as a block that can be extended: columns of its FROM, with conditions at most. */
export const simpleBlock = (relation: Relation, scope: RenderScope): QueryBlock =>
  simplified(scope.render(relation), scope);

export const simplified = (block: QueryBlock, scope: RenderScope): QueryBlock =>
  isSimple(block) ? block : nested(block, scope);

/** The relation for FROM, with its columns. */
export function source(
  relation: Relation,
  scope: RenderScope,
): {
  readonly from: SqlTemplate;
  /** `from` for a place where only a single relation is allowed. */
  readonly operand: SqlTemplate;
  readonly columns: readonly string[];
} {
  const block = simpleBlock(relation, scope);
  if (block.from !== undefined && block.where.length === 0)
    return {
      from: block.from,
      operand: block.isJoined === true ? sql`(${block.from})` : block.from,
      columns: plainColumns(block),
    };
  const subquery = nested(block, scope);
  const from = subquery.from ?? [];
  return { from, operand: from, columns: plainColumns(subquery) };
}

/** The block as a subquery in FROM. */
export function nested(block: QueryBlock, scope: RenderScope): QueryBlock {
  const alias = scope.alias();
  return plainBlock(
    sql`(${blockQuery(block)}) AS ${alias}`,
    block.columns.map((_, i) => `${alias}.c${i}`),
  );
}

/** SQL of an expression over the given columns. */
export const over = (expression: PlanExpression, columns: readonly string[]): string =>
  expressionSql(expression, (index) => columns[index] ?? missing(index));

function missing(index: number): never {
  throw new RangeError(`no column ${index}`);
}
