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

/** The SQL of an item of FROM, and its columns. */
interface Source {
  readonly from: SqlTemplate;
  readonly columns: readonly string[];
}

/** The relation, or the relations that it joins, for FROM. */
export function source(relation: Relation, scope: RenderScope): Source {
  const block = simpleBlock(relation, scope);
  return sourceOf(block.where.length === 0 ? block : nested(block, scope), scope);
}

/**
 * The relation as one side of a join. A side that consists of joins becomes a subquery, because the kernel moves no join into or out of
 * one. Otherwise it would choose its own order for the joins of a task, although it knows only the number of rows of files and inputs: q05 of TPC-H joined
 * customers and suppliers by nation then, before their orders.
 */
export function operand(relation: Relation, scope: RenderScope): Source {
  const block = simpleBlock(relation, scope);
  const isOne = block.where.length === 0 && block.isJoined !== true;
  return sourceOf(isOne ? block : nested(block, scope), scope);
}

function sourceOf(block: QueryBlock, scope: RenderScope): Source {
  const { from } = block;
  if (from === undefined) return sourceOf(nested(block, scope), scope);
  return { from, columns: plainColumns(block) };
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
