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
  const { operators } = profileOutline(JSON.stringify({ children: [root] }), {
    sourceOf: (table) => ({ table }),
    rename: (text) => text,
  });
  expect(texts(operators)).toEqual([
    'Project state, week, 7, round(revenue, 2)',
    'Aggregate state, week; sum(price)',
    'Scan table o; customer, day, state, price',
  ]);
  // The time of a projection that is left out counts for its input.
  expect(operators.inputs[0]?.timeMs).toBeCloseTo(2);
});
