import type { NodeName } from '@tessera/common';
import type { Cluster } from '@tessera/scheduler';
import type { QueryFacts, SystemValue } from '@tessera/system-catalog';
import { RUNNING_NOW, runningRow } from '@tessera/system-catalog';

/** A row of `engine_running_queries` in transit between nodes: times are ISO 8601 texts. */
export type QueryRecord = Readonly<Record<string, unknown>>;

/** The queries of this node, for other nodes. */
export const queryRecords = (running: readonly QueryFacts[], node: NodeName): readonly QueryRecord[] =>
  running.map((query) => {
    const row = runningRow(query, node);
    return Object.fromEntries(RUNNING_NOW.map(({ name }, i) => [name, plain(row[i])]));
  });

const plain = (value: SystemValue): unknown => (value instanceof Date ? value.toISOString() : value);

/**
 * The rows of `engine_running_queries` of all other nodes, for users whose queries may be seen; a node that
 * does not answer in time is omitted.
 */
export async function queriesElsewhere(
  cluster: Cluster,
  mayRead: (query: { readonly user: string }) => boolean,
): Promise<readonly (readonly SystemValue[])[]> {
  const others = cluster.living().filter(({ index }) => index !== cluster.self.index);
  const answers = await Promise.allSettled(others.map((node) => cluster.listQueries(node)));
  const records = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const readable = records.filter(({ user_name }) => mayRead({ user: String(user_name) }));
  return readable.map((record) =>
    RUNNING_NOW.map(({ name, type }) => {
      const value = record[name] as SystemValue;
      return type === 'TIMESTAMP WITH TIME ZONE' && typeof value === 'string' ? new Date(value) : value;
    }),
  );
}
