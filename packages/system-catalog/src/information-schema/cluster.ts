import type { ClusterFacts, SystemFacts } from '../facts/system-facts.ts';
import { columnsOf, type SystemRelation, TIME } from '../facts/system-relation.ts';

/** The only engine of the cluster, and the number of its nodes that are alive. */
export function engines({ engine, nodes }: ClusterFacts): SystemRelation {
  const living = nodes.filter(({ status }) => status === 'running' || status === 'draining');
  const isDraining = living.length > 0 && living.every(({ status }) => status === 'draining');
  const [first] = living;
  return {
    columns: columnsOf(
      'engine_name',
      'status',
      ['nodes', 'INTEGER'],
      'version',
      ['started', TIME],
      'description',
      'url',
      'attached_to',
    ),
    rows: [
      [
        engine,
        isDraining ? 'DRAINING' : 'RUNNING',
        living.length,
        first?.version,
        first?.startedAt,
        ...NOT_KEPT,
      ],
    ],
  };
}

/**
 * `description`, `url` and `attached_to` are NULL: clients select them, but an engine serves every database
 * at any address.
 */
const NOT_KEPT = [undefined, undefined, undefined];

/** The parameters of the configuration file of the node that is asked, for administrators. */
export const engineConfiguration = ({ configuration, node }: SystemFacts): SystemRelation => ({
  columns: columnsOf('parameter', 'value', ['is_set', 'BOOLEAN'], 'description', 'node_name'),
  rows: configuration.map((p) => [p.path, p.value, p.isSet, p.meaning, node]),
});

/** All nodes of the configuration; for lost, refused or unknown ones with the reason. */
export const nodesView = ({ nodes, engine }: ClusterFacts): SystemRelation => ({
  columns: columnsOf('node_name', 'engine_name', 'host', 'status', 'version', ['started', TIME], 'reason'),
  rows: nodes.map((n) => [n.name, engine, n.host, n.status.toUpperCase(), n.version, n.startedAt, n.reason]),
});
