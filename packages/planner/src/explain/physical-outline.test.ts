import { expect, test } from 'vitest';
import { profileOutline } from './physical-outline.ts';
import type { PlanOutline } from './plan-outline.ts';

const operator = (name: string, extra_info: object, ...children: object[]) => ({
  operator_name: name,
  operator_timing: 0.001,
  operator_cardinality: 3,
  extra_info,
  children,
});
const project = (projections: readonly string[], child: object) =>
  operator('PROJECTION', { Projections: projections }, child);

const outlined = (root: object): PlanOutline =>
  profileOutline(JSON.stringify({ children: [root] }), {
    sourceOf: (table) => ({ table }),
    rename: (text) => text,
  })!.operators;

const texts = ({ operator, details, inputs }: PlanOutline): string[] => [
  `${operator} ${Object.values(details).join('; ')}`.trim(),
  ...inputs.flatMap(texts),
];

test('positions and packed keys of the kernel become names, and projections that only pass columns are left out', () => {
  // The profile of SELECT state, date_trunc('week', day) AS week, sum(price) … GROUP BY state, week.
  const scan = operator('SEQ_SCAN', { Table: 'o', Projections: ['customer', 'day', 'state', 'price'] });
  const packed = project(['#0', '__internal_compress_integral_utinyint(#1, 0)', '#2'], scan);
  const grouped = operator(
    'HASH_GROUP_BY',
    { Groups: ['#0', '#1'], Aggregates: 'sum(#2)' },
    project(['state', 'week', 'price'], packed),
  );
  const unpacked = project(['__internal_decompress_integral_bigint(#0, 0)', '#1', '#2'], grouped);
  const root = operator('EXPLAIN_ANALYZE', {}, project(['state', '1', '7', 'round(revenue, 2)'], unpacked));
  const operators = outlined(root);
  expect(texts(operators)).toEqual([
    'Project state, week, 7, round(revenue, 2)',
    'Aggregate state, week; sum(price)',
    'Scan table o; customer, day, state, price',
  ]);
  // The time of a projection that is left out counts for its input.
  expect(operators.inputs[0]?.timeMs).toBeCloseTo(2);
});

test('references by position get the names of the columns of a scan, also on both sides of a join', () => {
  const people = operator(
    'FILTER',
    { Expression: "(name != '#0')" },
    operator('SEQ_SCAN', { Table: 'p', Projections: ['id', 'name'] }),
  );
  const orders = operator('SEQ_SCAN', { Table: 'o', Projections: ['number', 'customer'] });
  const join = operator('HASH_JOIN', { 'Join Type': 'RIGHT_SEMI', Conditions: '#1 = #0' }, orders, people);
  const root = operator(
    'EXPLAIN_ANALYZE',
    {},
    operator('HASH_GROUP_BY', { Groups: '#0', Aggregates: "max('#1')" }, join),
  );
  const operators = outlined(root);
  expect(texts(operators)).toEqual([
    // The columns that a join returns have no names in the kernel's plan.
    "Aggregate column 1; max('#1')",
    'Hash join right semi; customer = id',
    'Scan table o; number, customer',
    "Filter (name != '#0')",
    'Scan table p; id, name',
  ]);
});

test('the check that a subquery returns one row is shown as the value that it checks', () => {
  // The kernel's texts with a line break are lists of lines.
  const check = [
    'CASE  WHEN ((#1 > 1)) THEN ("error"(\'More than one row returned by a subquery used as an expression - scalar subqueries can only return a single row.',
    '',
    'Use "SET scalar_subquery_error_on_multiple_rows=false" to revert to previous behavior of returning a random row.\')) ELSE #0 END',
  ];
  const scan = operator('SEQ_SCAN', { Table: 't', Projections: 'a' });
  const grouped = operator('UNGROUPED_AGGREGATE', { Aggregates: ['"first"(#0)', 'count_star()'] }, scan);
  const root = operator('EXPLAIN_ANALYZE', {}, project(check, grouped));
  const operators = outlined(root);
  expect(texts(operators)).toEqual([
    'Project first(a) (an error if there are several rows)',
    'Aggregate first(a), count(*)',
    'Scan table t; a',
  ]);
});

test('a statement that the kernel does not profile has no outline', () => {
  const names = { sourceOf: () => undefined, rename: (text: string) => text };
  expect(profileOutline('{ "result": "error" }', names)).toBeUndefined();
});
