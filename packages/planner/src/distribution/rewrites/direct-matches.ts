import type { Comparison } from '../../comparisons.ts';
import type { PlanExpression } from '../../plan-nodes.ts';
import { substituteReferences } from '../../relational/expressions/references.ts';
import { isVolatile } from '../../relational/expressions/volatility.ts';
import type { JoinCondition, JoinRelation, Relation, SharedRelation } from '../../relational/relation.ts';
import { plainReference, referenceTo, shiftReferences } from '../tree/expressions.ts';
import { inputsOf, withInputs } from '../tree/inputs.ts';

/** Whether rows with equal values of these columns are computed by the same task. */
export type IsTogether = (a: Relation, column: number, b: Relation, other: number) => boolean;

/**
 * Replaces a correlated EXISTS or NOT EXISTS by a join with the rows that the subquery reads, if both are
 * divided by the same key. The kernel's plan first joins these rows with the distinct keys of the outer rows:
 *     shared o: a                                semi join a.k = b.k and a.v <> b.v
 *       semi join k, v                             a
 *         o                                   →    b
 *         inner join b.k = k and b.v <> v
 *           b
 *           distinct k, v of o
 * Both find the same rows of `a`, because the distinct keys are all keys of `a`. The plan of the kernel reads
 * `a` twice and groups twice. Where the rows have to be moved, it is kept: the keys reduce what is moved.
 */
export function directMatches(relation: Relation, isTogether: IsTogether): Relation {
  const changed = withInputs(
    relation,
    inputsOf(relation).map((input) => directMatches(input, isTogether)),
  );
  return changed.kind === 'shared' ? (withoutKeys(changed, isTogether) ?? changed) : changed;
}

/** The shared relation without the distinct keys; undefined if its form is another one. */
function withoutKeys({ id, definition, body }: SharedRelation, isTogether: IsTogether): Relation | undefined {
  const isOuter = (relation: Relation) => relation.kind === 'reference' && relation.id === id;
  if (body.kind === 'project') {
    const input = withoutKeys({ id, definition, body: body.input } as SharedRelation, isTogether);
    return input && { ...body, input };
  }
  if (body.kind !== 'join' || body.residual.length > 0) return undefined;
  const isLeft = (body.type === 'semi' || body.type === 'anti') && isOuter(body.left);
  const isRight = (body.type === 'right_semi' || body.type === 'right_anti') && isOuter(body.right);
  if (!isLeft && !isRight) return undefined;
  const matches = matchesOf(isLeft ? body.right : body.left, id);
  if (matches === undefined) return undefined;
  const { keys } = matches;
  const compared = new Set<number>();
  for (const { comparison, left, right } of body.conditions) {
    const [outer, inner] = isLeft ? [left, right] : [right, left];
    const key = keyOf(matches, inner);
    if (comparison !== 'IS NOT DISTINCT FROM' || key === undefined) return undefined;
    if (text(outer) !== text(keys[key]!)) return undefined;
    compared.add(key);
  }
  if (compared.size < keys.length) return undefined;
  const { other } = matches;
  const join = isLeft
    ? { ...body, left: definition, right: other }
    : { ...body, left: other, right: definition };
  const direct = withConditions(join, isLeft, matches);
  const meets = direct.conditions.some(({ comparison, left, right }) => {
    const [l, r] = [plainReference(left), plainReference(right)];
    return (
      comparison === '=' && l !== undefined && r !== undefined && isTogether(direct.left, l, direct.right, r)
    );
  });
  return meets ? direct : undefined;
}

/** The rows of a subquery, joined with the distinct keys of the outer rows. */
interface Matches {
  /** What the subquery reads besides the keys. */
  readonly other: Relation;
  readonly join: JoinRelation;
  /** Whether the keys are the left side of the join. */
  readonly areKeysLeft: boolean;
  /** The keys, as expressions over the outer rows. */
  readonly keys: readonly PlanExpression[];
  /** Conditions of the subquery that its join does not have, over the columns of `join`. */
  readonly predicates: readonly PlanExpression[];
  /** The columns of the relation, as expressions over those of `join`. */
  readonly columns: readonly PlanExpression[];
}

/** The position in `keys` that an expression over the columns of the relation is. */
function keyOf(
  { join, areKeysLeft, keys, columns }: Matches,
  expression: PlanExpression,
): number | undefined {
  const position = plainReference(substituteReferences(expression, columns));
  if (position === undefined) return undefined;
  const key = areKeysLeft ? position : position - join.left.columns.length;
  return key >= 0 && key < keys.length ? key : undefined;
}

function matchesOf(relation: Relation, id: number): Matches | undefined {
  if (relation.kind === 'project' || relation.kind === 'filter') {
    const below = matchesOf(relation.input, id);
    if (below === undefined) return undefined;
    const inJoin = (expression: PlanExpression) => substituteReferences(expression, below.columns);
    if (relation.kind === 'project') return { ...below, columns: relation.expressions.map(inJoin) };
    if (relation.predicates.some(isVolatile)) return undefined;
    return { ...below, predicates: [...below.predicates, ...relation.predicates.map(inJoin)] };
  }
  if (relation.kind === 'distinct' && relation.on === undefined) return matchesOf(relation.input, id);
  if (relation.kind !== 'join' || relation.type !== 'inner' || relation.isAsof) return undefined;
  const { left, right, conditions, residual } = relation;
  if ([...conditions.flatMap((c) => [c.left, c.right]), ...residual].some(isVolatile)) return undefined;
  const [ofLeft, ofRight] = [keysOf(left, id), keysOf(right, id)];
  const keys = ofLeft ?? ofRight;
  if (keys === undefined || (ofLeft !== undefined && ofRight !== undefined)) return undefined;
  const areKeysLeft = ofLeft !== undefined;
  const other = areKeysLeft ? right : left;
  if (refersTo(other, id)) return undefined;
  const columns = relation.columns.map((_, i) => referenceTo(relation, i));
  return { other, join: relation, areKeysLeft, keys, predicates: [], columns };
}

/** The keys of a DELIM_GET: the distinct values of expressions over the shared rows. */
function keysOf(relation: Relation, id: number): readonly PlanExpression[] | undefined {
  if (relation.kind !== 'distinct' || relation.on !== undefined) return undefined;
  const { input } = relation;
  if (input.kind !== 'project' || input.input.kind !== 'reference' || input.input.id !== id) return undefined;
  return input.expressions;
}

const refersTo = (relation: Relation, id: number): boolean =>
  (relation.kind === 'reference' && relation.id === id) ||
  inputsOf(relation).some((input) => refersTo(input, id));

/** The join over its new sides, by the conditions of the subquery. */
function withConditions(
  join: JoinRelation,
  isOuterLeft: boolean,
  { join: inner, areKeysLeft, keys, other, predicates }: Matches,
): JoinRelation {
  const ofKeys = (expression: PlanExpression) => substituteReferences(expression, keys);
  const conditions = inner.conditions.map(({ comparison, left, right }): JoinCondition => {
    const [outer, own] = areKeysLeft ? [ofKeys(left), right] : [ofKeys(right), left];
    return isOuterLeft
      ? { comparison: areKeysLeft ? comparison : REVERSED[comparison], left: outer, right: own }
      : { comparison: areKeysLeft ? REVERSED[comparison] : comparison, left: own, right: outer };
  });
  const width = join.left.columns.length;
  const outerKeys = isOuterLeft ? keys : keys.map((key) => shiftReferences(key, (i) => i + width));
  const otherColumns = other.columns.map((_, i) => {
    const column = referenceTo(other, i);
    return isOuterLeft ? shiftReferences(column, (at) => at + width) : column;
  });
  const both = areKeysLeft ? [...outerKeys, ...otherColumns] : [...otherColumns, ...outerKeys];
  const residual = [...inner.residual, ...predicates].map((e) => substituteReferences(e, both));
  return { ...join, conditions, residual };
}

const REVERSED: Readonly<Record<Comparison, Comparison>> = {
  '=': '=',
  '<>': '<>',
  '<': '>',
  '>': '<',
  '<=': '>=',
  '>=': '<=',
  'IS NOT DISTINCT FROM': 'IS NOT DISTINCT FROM',
  'IS DISTINCT FROM': 'IS DISTINCT FROM',
};

/** Equal for equal expressions, whatever the columns are called. */
const text = (expression: PlanExpression): string =>
  JSON.stringify(expression, (name, value: unknown) => {
    if (name === 'alias' || name === 'query_location') return undefined;
    return typeof value === 'bigint' ? `${value}` : value;
  });
