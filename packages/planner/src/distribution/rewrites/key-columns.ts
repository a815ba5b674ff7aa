import type { PlanExpression } from '../../plan-nodes.ts';
import type { JoinCondition, JoinRelation, Relation } from '../../relational/relation.ts';
import { append, pick, rejoin } from '../tree/build.ts';
import { plainReference, referenceTo, shiftReferences } from '../tree/expressions.ts';

/**
 * Turns keys of joins, groups and partitions into columns, so that rows can be hashed by them before they are
 * sent.
 *     join lower(a) = b         project all but k
 *       scan a           →        join k = b
 *       scan b                      project a, lower(a) k
 *                                     scan a
 *                                   scan b
 */
export function withJoinColumns(relation: Relation): Relation {
  if (relation.kind !== 'join') return relation;
  const left = new Appended(relation.left);
  const right = new Appended(relation.right);
  const conditions = relation.conditions.map((condition): JoinCondition => {
    if (condition.comparison !== '=' && condition.comparison !== 'IS NOT DISTINCT FROM') return condition;
    return { ...condition, left: left.column(condition.left), right: right.column(condition.right) };
  });
  if (!left.isChanged && !right.isChanged) return relation;
  const [width, newWidth] = [relation.left.columns.length, left.relation.columns.length];
  const shift = (i: number) => (i < width ? i : i - width + newWidth);
  const changed: JoinRelation = {
    ...relation,
    conditions,
    residual: relation.residual.map((e) => shiftReferences(e, shift)),
  };
  const join = rejoin(changed, left.relation, right.relation);
  switch (relation.type) {
    case 'semi':
    case 'anti':
    case 'right_semi':
    case 'right_anti':
      return pick(
        join,
        relation.columns.map((_, i) => i),
      );
    default:
      return pick(
        join,
        relation.columns.map((_, i) => shift(i)),
      );
  }
}

export function withGroupColumns(relation: Relation): Relation {
  if (relation.kind !== 'aggregate') return relation;
  const input = new Appended(relation.input);
  const groups = relation.groups.map((group) => input.column(group));
  return input.isChanged ? { ...relation, input: input.relation, groups } : relation;
}

export function withOnColumns(relation: Relation): Relation {
  if (relation.kind !== 'distinct' || relation.on === undefined) return relation;
  const input = new Appended(relation.input);
  const on = relation.on.map((key) => input.column(key));
  if (!input.isChanged) return relation;
  return pick(
    { ...relation, input: input.relation, on, columns: input.relation.columns },
    relation.columns.map((_, i) => i),
  );
}

export function withPartitionColumns(relation: Relation): Relation {
  if (relation.kind !== 'window') return relation;
  const input = new Appended(relation.input);
  const windows = relation.windows.map((window) => ({
    ...window,
    partitions: (window.partitions ?? []).map((partition) => input.column(partition)),
  }));
  if (!input.isChanged) return relation;
  const width = relation.input.columns.length;
  const newWidth = input.relation.columns.length;
  const columns = [...input.relation.columns, ...relation.columns.slice(width)];
  return pick(
    { ...relation, input: input.relation, windows, columns },
    relation.columns.map((_, i) => (i < width ? i : i - width + newWidth)),
  );
}

/** A relation to which columns are added for expressions that are not columns. */
class Appended {
  private readonly base: Relation;
  private readonly added: PlanExpression[] = [];

  constructor(base: Relation) {
    this.base = base;
  }

  column(expression: PlanExpression): PlanExpression {
    if (plainReference(expression) !== undefined) return expression;
    const text = JSON.stringify(expression, bigintText);
    const known = this.added.findIndex((other) => JSON.stringify(other, bigintText) === text);
    if (known < 0) this.added.push(expression);
    const place = known < 0 ? this.added.length - 1 : known;
    return referenceTo(this.relation, this.base.columns.length + place);
  }

  get isChanged(): boolean {
    return this.added.length > 0;
  }

  get relation(): Relation {
    return append(this.base, this.added);
  }
}

const bigintText = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? `${value}` : value;
