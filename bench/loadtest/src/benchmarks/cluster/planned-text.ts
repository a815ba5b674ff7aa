import { Connection } from '../../http/connection.ts';

interface Explained {
  readonly nodes: { readonly chosen: number };
  readonly stages: readonly { readonly operators: ExplainedOperator }[];
}

interface ExplainedOperator {
  readonly details: Readonly<Record<string, string>>;
  readonly inputs: readonly ExplainedOperator[];
}

/**
 * A short description of how a query is planned: the numbers of nodes and stages, and the strategies of its
 * joins (`4 nodes, 3 stages; 2 × replicated right, hash`).
 * @param settings of the statement, such as `nodes_per_query = 4`
 */
export async function plannedText(url: string, sql: string, settings: string): Promise<string> {
  const connection = new Connection(url);
  const { nodes: choice, stages } = await explained(connection, `${sql} WITH (${settings})`);
  await connection.close();
  if (choice.chosen === 1) return '1 node';
  const joins = stages
    .flatMap(({ operators }) => allOf(operators))
    .flatMap(({ details }) => /^[\w-]+(?: left| right)?/.exec(details.strategies ?? '')?.[0] ?? []);
  const counts = Map.groupBy(joins, (join) => join);
  const strategies = [...counts].map(([join, { length }]) => (length === 1 ? join : `${length} × ${join}`));
  const size = `${choice.chosen} nodes, ${stages.length} stages`;
  return strategies.length === 0 ? size : `${size}; ${strategies.join(', ')}`;
}

const allOf = (operator: ExplainedOperator): readonly ExplainedOperator[] => [
  operator,
  ...operator.inputs.flatMap(allOf),
];

/** The physical plan of a query, from the server's EXPLAIN. */
export async function explained(connection: Connection, sql: string): Promise<Explained> {
  const { text } = await connection.run(`EXPLAIN (PHYSICAL, FORMAT JSON) ${sql}`, 'JSON_Compact');
  const { data } = JSON.parse(text) as { data: [[string]] };
  return JSON.parse(data[0][0]) as Explained;
}
