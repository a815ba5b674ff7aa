import { machineMemoryBytes } from '../memory-limit.ts';
import { repeats } from './repeats.ts';
import { type Breach, breachIf, type Path, type Rule } from './rule.ts';

const ENGINE = ['engine'];
const NODES = ['engine', 'nodes'];
const PORTS = ['distexec_port', 'shuffle_port', 'storage_agent_port', 'storage_manager_port'] as const;

/** Rule 4: the broadcast service requires the id of this cluster. */
export const broadcastingKnowsItsCluster: Rule = ({ config: { engine } }) =>
  engine.multi_cluster === null
    ? []
    : (['cluster_id', 'cluster_ordinal'] as const).flatMap((name) =>
        breachIf(
          engine[name] === null || engine[name] === '',
          [...ENGINE, name],
          'is required when engine.multi_cluster is set',
          [[...ENGINE, 'multi_cluster']],
        ),
      );

export const nodesAreNotEmpty: Rule = ({ config: { engine } }) =>
  breachIf(
    engine.nodes?.length === 0,
    NODES,
    'needs at least one node; leave it out for a single local node',
  );

/** Two services cannot listen on the same port of a host. */
export const nodesDoNotShareAPort: Rule = ({ config: { engine } }): Breach[] => {
  const services = (engine.nodes ?? []).flatMap((node, index) =>
    PORTS.map((name) => ({ host: node.host, port: node[name], path: [...NODES, index, name] as Path })),
  );
  return repeats(services, (s) => `${s.host}:${s.port}`).map(({ index, first }) => {
    const { host, port, path } = services[index]!;
    const other = services[first]!.path;
    return {
      path,
      message: `${host}:${port} is already nodes[${other[2]}].${other[3]}`,
      because: [other, [...path.slice(0, 3), 'host'], [...other.slice(0, 3), 'host']],
    };
  });
};

/** A limit above the memory of the machine has no effect: the operating system would kill the engine first. */
export const memoryIsThere: Rule = ({ config: { engine } }) =>
  breachIf(
    engine.max_server_memory_usage > machineMemoryBytes(),
    [...ENGINE, 'max_server_memory_usage'],
    `is more than the memory of this machine, ${(machineMemoryBytes() / 2 ** 30).toFixed(1)} GiB; the system may end the engine before it reaches the limit`,
  );
