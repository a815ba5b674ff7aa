import { bytesText, timeText } from '../units.ts';
import { usePolledRows } from './polled-rows.ts';
import { Sparkline } from './sparkline.tsx';

interface Node {
  readonly node_name: string;
  readonly status: string;
  readonly version: string | null;
  readonly started: string | null;
  readonly reason: string | null;
}

interface Sample {
  readonly node: string;
  readonly cpu_used: number | null;
  readonly memory_used: string | null;
  readonly disk_used: string | null;
  readonly cache_hit_ratio: number | null;
  readonly running_queries: string | null;
}

const NODES =
  'SELECT node_name, status, version, started, reason FROM information_schema.nodes ORDER BY node_name';
const SAMPLES = `SELECT node, cpu_used, memory_used, disk_used, cache_hit_ratio, running_queries
FROM information_schema.engine_metrics_history
WHERE event_time > now() - INTERVAL '15 minutes'
ORDER BY event_time`;

/** The nodes with what they used in the last quarter of an hour. */
export function NodesPage() {
  const nodes = usePolledRows<Node>(NODES);
  const samples = usePolledRows<Sample>(SAMPLES);
  const all = nodes.rows.value ?? [];
  const problem = nodes.problem.value ?? samples.problem.value;
  return (
    <section class="page" aria-label="Nodes">
      <header>
        <h2>Nodes</h2>
        <p class="quiet">The state of each node, and what it used in the last 15 minutes.</p>
      </header>
      {problem !== undefined && <p class="problem">{problem}</p>}
      <ul class="nodes">
        {all.map((node) => (
          // A node that stands alone may measure under the name of its host.
          <NodeCard
            key={node.node_name}
            node={node}
            samples={(samples.rows.value ?? []).filter(
              (sample) => sample.node === node.node_name || all.length === 1,
            )}
          />
        ))}
      </ul>
    </section>
  );
}

function NodeCard({ node, samples }: { node: Node; samples: readonly Sample[] }) {
  const last = samples.at(-1);
  const numbers = (name: keyof Sample) =>
    samples.map((sample) => (sample[name] === null ? null : Number(sample[name])));
  return (
    <li class="node-card">
      <header class="row">
        <h3>{node.node_name}</h3>
        <span class={`status ${node.status === 'RUNNING' ? 'done' : 'failed'}`}>
          {node.status.toLowerCase()}
        </span>
      </header>
      <p class="quiet">
        {node.version !== null && `Version ${node.version}`}
        {node.started !== null && `, since ${timeText(node.started)}`}
      </p>
      {node.reason && <p class="problem">{node.reason}</p>}
      {last === undefined ? (
        <p class="quiet">No measurements yet.</p>
      ) : (
        <div class="sparklines">
          <Sparkline label="CPU" text={percent(last.cpu_used)} values={numbers('cpu_used')} max={1} />
          <Sparkline
            label="Memory"
            text={bytesText(Number(last.memory_used ?? 0))}
            values={numbers('memory_used')}
          />
          <Sparkline
            label="Cache hits"
            text={percent(last.cache_hit_ratio)}
            values={numbers('cache_hit_ratio')}
            max={1}
          />
          <Sparkline
            label="Disk"
            text={bytesText(Number(last.disk_used ?? 0))}
            values={numbers('disk_used')}
          />
          <Sparkline
            label="Running queries"
            text={last.running_queries ?? '0'}
            values={numbers('running_queries')}
          />
        </div>
      )}
    </li>
  );
}

const percent = (share: number | null): string =>
  share === null ? 'no reads' : `${Math.round(share * 100)} %`;
