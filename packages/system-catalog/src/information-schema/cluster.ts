import type { ClusterFacts, SystemFacts } from '../facts/system-facts.ts';
import { columnsOf, type SystemRelation, type SystemValue, TIME } from '../facts/system-relation.ts';

const ENGINES = columnsOf(
  'engine_name',
  'status',
  ['nodes', 'INTEGER'],
  'version',
  ['started', TIME],
  'description',
  'url',
  'attached_to',
);

/** The engines of rows of `nodes`, in the order of these rows, and the number of their nodes that are alive. */
export function enginesOf(nodes: readonly Readonly<Record<string, SystemValue>>[]): SystemRelation {
  const rows = [...Map.groupBy(nodes, (node) => node.engine_name)].map(([name, all]) => {
    const living = all.filter(({ status }) => status === 'RUNNING' || status === 'DRAINING');
    const isDraining = living.length > 0 && living.every(({ status }) => status === 'DRAINING');
    const [first] = living;
    const status = isDraining ? 'DRAINING' : 'RUNNING';
    return [name, status, living.length, first?.version, first?.started, ...NOT_KEPT];
  });
  return { columns: ENGINES, rows };
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

/** All nodes of the configuration. `reason` says why a node is lost, refused or unknown. */
export const nodesView = ({ nodes }: ClusterFacts): SystemRelation => ({
  columns: columnsOf('node_name', 'host', 'status', 'version', ['started', TIME], 'reason'),
  rows: nodes.map((n) => [n.name, n.host, n.status.toUpperCase(), n.version, n.startedAt, n.reason]),
});
