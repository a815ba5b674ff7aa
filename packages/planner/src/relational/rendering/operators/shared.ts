import type { RecursiveRelation, SharedReference, SharedRelation } from '../../relation.ts';
import { unsupported } from '../../unsupported-plan.ts';
import { blockQuery, plainBlock, type QueryBlock } from '../query-block.ts';
import { nested, type RenderScope } from '../render-scope.ts';
import { sql } from '../sql-parts.ts';

/** `WITH s AS MATERIALIZED (definition) body` */
export function renderShared({ id, definition, body }: SharedRelation, scope: RenderScope): QueryBlock {
  const name = `"$shared${id}"`;
  const defined = blockQuery(scope.render(definition));
  scope.shared.set(id, name);
  const block = scope.render(body);
  const inner = block.with === undefined ? block : nested(block, scope);
  return { ...inner, with: sql`WITH ${name} AS MATERIALIZED (${defined})` };
}

/** `s AS t` */
export function renderReference({ id, columns }: SharedReference, scope: RenderScope): QueryBlock {
  const name = scope.shared.get(id);
  if (name === undefined) return unsupported('a reference to a relation that is shared elsewhere');
  const alias = scope.alias();
  return plainBlock(
    sql`${name} AS ${alias}`,
    columns.map((_, i) => `${alias}.c${i}`),
  );
}

/** `WITH RECURSIVE r AS (anchor UNION ALL step) SELECT … FROM r` */
export function renderRecursive(relation: RecursiveRelation, scope: RenderScope): QueryBlock {
  const { id, recurringId, anchor, step, isUnionAll, keys, columns } = relation;
  if (columns.length === 0) return unsupported('a recursion without columns');
  const name = `"$recursion${id}"`;
  const first = blockQuery(scope.render(anchor));
  scope.shared.set(id, name);
  if (recurringId !== undefined) scope.shared.set(recurringId, `recurring.${name}`);
  const second = blockQuery(scope.render(step));
  const alias = scope.alias();
  const names = columns.map((_, i) => `c${i}`).join(', ');
  const by = keys === undefined ? '' : ` USING KEY (${keys.map((key) => `c${key}`).join(', ')})`;
  return {
    ...plainBlock(
      sql`${name} AS ${alias}`,
      columns.map((_, i) => `${alias}.c${i}`),
    ),
    with: sql`WITH RECURSIVE ${name}(${names})${by} AS ((${first}) UNION ${isUnionAll ? 'ALL ' : ''}(${second}))`,
  };
}
