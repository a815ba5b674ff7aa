import { afterAll, beforeAll, expect, test } from 'vitest';
import { withPrintedParentheses } from '../src/parse/parse.ts';
import { type Expression, parseTree, printTree, type Statement, transformTree } from '../src/tree.ts';
import { Dialect } from './dialect.ts';

let dialect: Dialect;
beforeAll(async () => {
  dialect = await Dialect.open();
});
afterAll(() => dialect[Symbol.asyncDispose]());

/** The forms of expressions that the parser knows, over the operands `a`, `b` and `c`. */
const FORMS = [
  ...['a', '1', '-1', '1.5', "'x'", 'NULL', 'true', "DATE '2020-01-01'", "INTERVAL '1 day'"],
  ...['-a', '+a', '~a', '@a', 'a !', 'a + b', 'a - b', 'a * b', 'a / b', 'a // b', 'a % b', 'a ^ b'],
  ...['a ** b', 'a || b', 'a & b', 'a << b', 'a -> b', 'a ->> b', 'a @> b', 'a && b', 'a <=> b', 'a ^@ b'],
  ...['a = b', 'a <> b', 'a < b', 'a IS DISTINCT FROM b', 'a IS NULL', 'a IS NOT NULL', 'a IS TRUE'],
  ...['NOT a', 'a AND b', 'a OR b', 'a IN (b, c)', 'a NOT IN (b, c)', 'a BETWEEN b AND c'],
  ...['a NOT BETWEEN b AND c', 'a LIKE b', 'a NOT LIKE b', 'a ILIKE b', 'a LIKE b ESCAPE c', 'a GLOB b'],
  ...['a SIMILAR TO b', 'a ~ b', 'a !~ b', 'a ~* b', 'CASE WHEN a THEN b ELSE c END'],
  ...['CASE a WHEN b THEN c END', 'CAST(a AS INT)', 'TRY_CAST(a AS TEXT)', 'f(a, b)'],
  ...['f(DISTINCT a ORDER BY b)', 'f(a) FILTER (WHERE b)', 'coalesce(a, b)', 'nullif(a, b)', '[a, b]'],
  'sum(a) OVER (PARTITION BY b ORDER BY c ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)',
  ...["{'k': a}", '(a)[b]', '(a)[b:c]', '(a).f', 'a COLLATE "de"', 'a < b COLLATE "de"', 'x -> a', '(a, b)'],
  ...['(SELECT a)', 'EXISTS (SELECT a)', 'NOT EXISTS (SELECT a)', 'a IN (SELECT b)', 'a NOT IN (SELECT b)'],
  ...['a = ANY (SELECT b)', 'a < ALL (SELECT b)', 'a AT TIME ZONE b', 'EXTRACT(year FROM a)'],
  ...['INTERVAL (a) day', 'position(a IN b)', 'substring(a FROM b FOR c)', 'trim(BOTH a FROM b)'],
  ...['grouping(a)', 'TRY(a)', '[a FOR x IN b IF c]', 'MAP {a: b}'],
];

/** One example of each form that the printer treats differently. */
const OPERANDS = [
  ...['1', '-1.5', 'NULL', 'true', '-a', '~a', 'a !', 'a + b', 'a = b', 'a IS NULL', 'NOT a', 'a AND b'],
  ...['a IN (b, c)', 'a BETWEEN b AND c', 'a LIKE b', 'CASE WHEN a THEN b ELSE c END', 'CAST(a AS INT)'],
  ...['f(a, b)', 'count(*) OVER (ORDER BY a)', '[a, b]', '(a)[b]', '(a).f', 'a COLLATE "de"', 'x -> a'],
  ...['(SELECT a)', 'EXISTS (SELECT a)', 'a = ANY (SELECT b)', 'grouping(a)'],
];

/** The forms with one operand left open, in parentheses. */
const SLOTS = FORMS.flatMap((form) =>
  ['a', 'b', 'c']
    .map((operand) => new RegExp(`\\b${operand}\\b`))
    .filter((operand) => operand.test(form))
    .map((operand) => form.replace(operand, '(◻)')),
);

test.for(SLOTS)('%s reads back as it was, whatever stands in it', async (slot) => {
  const { session } = dialect.context();
  const texts = OPERANDS.map((form) => `SELECT ${slot.replace('◻', () => form)}`);
  const parsed = await session.scalar(
    'SELECT to_json(list_transform($1::JSON::VARCHAR[], s -> json_serialize_sql(s)))',
    [JSON.stringify(texts)],
  );
  const trees = (parseTree(String(parsed)) as Serialized[]).filter(({ error }) => !error);
  const printed = printTree(trees.map((tree) => withPrintedParentheses(tree)));
  const again = await session.scalar(
    `SELECT to_json(list_transform(json_extract($1::JSON, '$[*]'), tree -> json_serialize_sql(json_deserialize_sql(tree))))`,
    [printed],
  );
  expect(trees.length).toBeGreaterThan(OPERANDS.length / 2);
  expect(comparable(parseTree(String(again)))).toEqual(comparable(trees));
});

interface Serialized {
  readonly error: boolean;
  readonly statements: readonly Statement[];
}

/**
 * Trees without places. The printer writes the constant `true`, which the parser reads as a cast; both are
 * made equal.
 */
const comparable = (trees: unknown): unknown =>
  JSON.parse(
    printTree(transformTree(trees, { expression: (node) => ({ ...castOfTruth(node), query_location: 0 }) })),
  );

const castOfTruth = (node: Expression): Expression =>
  node.class === 'CAST' && node.cast_type.id === 'BOOLEAN' && node.child.class === 'CONSTANT'
    ? { ...node.child, value: { type: { id: 'BOOLEAN', type_info: null }, is_null: false, value: true } }
    : node;
