import type { SystemFacts } from './system-facts.ts';
import { columnsOf, type SystemRelation, TIME } from './system-relation.ts';

/** The one engine of the cluster. */
export const engines = ({ engine, nodes }: SystemFacts): SystemRelation => ({
  columns: columnsOf('engine_name', 'status', ['nodes', 'INTEGER'], 'version', ['started', TIME]),
  rows: [
    [
      engine,
      nodes.every((n) => n.status === 'draining') && nodes.length > 0 ? 'DRAINING' : 'RUNNING',
      nodes.length,
      nodes[0]?.version,
      nodes[0]?.startedAt,
    ],
  ],
});

export const nodesView = ({ nodes, engine }: SystemFacts): SystemRelation => ({
  columns: columnsOf('node_name', 'engine_name', 'host', 'status', 'version', ['started', TIME]),
  rows: nodes.map((n) => [n.name, engine, n.host, n.status.toUpperCase(), n.version, n.startedAt]),
});
