import { Graph, layout } from '@dagrejs/dagre';
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { bytesText, countText, secondsText } from '../units.ts';
import {
  type ExplainedPlan,
  type PlanEdge,
  type PlanNode,
  type PlanStage,
  planGraph,
  rowsOf,
} from './explained-plan.ts';

const NODE = { width: 216, height: 74 };
const MARGIN = 24;

/** A plan as a graph: rows go from the scans at the bottom to the result at the top, stages are frames. */
export function PlanGraph({ plan }: { plan: ExplainedPlan }) {
  const chosen = useSignal<string | undefined>(undefined);
  const { nodes, edges, frames, width, height } = useMemo(() => place(plan), [plan]);
  const shown = nodes.find(({ node }) => node.id === chosen.value)?.node;
  return (
    <div class="grid-and-cell">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section class="plan" aria-label="Plan" tabIndex={0}>
        {plan.warnings.map((warning) => (
          <p key={warning} class="notice">
            {warning}
          </p>
        ))}
        {plan.reason && <p class="note">Runs on one node: {plan.reason}</p>}
        <div class="plan-canvas" style={{ width: `${width}px`, height: `${height}px` }}>
          <svg width={width} height={height} aria-hidden="true">
            {frames.map(({ stage, x, y, w, h }) => (
              <g key={stage.stage}>
                <rect class="plan-stage" x={x} y={y} width={w} height={h} rx={8} />
                <text class="plan-stage-text" x={x + 10} y={y + 16}>
                  {stageText(stage)}
                </text>
              </g>
            ))}
            {edges.map(({ edge, points, x, y }) => (
              <g key={`${edge.from} ${edge.to}`}>
                <polyline
                  class="plan-edge"
                  points={points}
                  style={{ strokeWidth: `${edgeWidth(edge.rows)}px` }}
                />
                {edge.rows !== undefined && (
                  <text class="plan-edge-text" x={x + 6} y={y + 4}>
                    {countText(edge.rows)}
                  </text>
                )}
              </g>
            ))}
          </svg>
          {nodes.map(({ node, x, y }) => (
            <button
              key={node.id}
              type="button"
              class="plan-node"
              aria-pressed={node.id === chosen.value}
              style={{ left: `${x}px`, top: `${y}px`, width: `${NODE.width}px`, height: `${NODE.height}px` }}
              onClick={() => {
                chosen.value = chosen.value === node.id ? undefined : node.id;
              }}
            >
              <b>{node.operator.operator}</b>
              <span>{Object.values(node.operator.details)[0] ?? ''}</span>
              <small>{factsOf(node)}</small>
              {node.share > 0 && <i style={{ width: `${Math.max(node.share * 100, 1)}%` }} />}
            </button>
          ))}
        </div>
      </section>
      {shown && <Details node={shown} />}
    </div>
  );
}

function Details({ node: { operator, stage } }: { node: PlanNode }) {
  const facts: [string, string | undefined][] = [
    ['Rows', numberText(operator.rows)],
    ['Estimated rows', numberText(operator.estimated_rows)],
    ['Rows scanned', numberText(operator.rows_scanned)],
    ['Time of all threads', millisecondsText(operator.time_ms)],
    ['Bytes', sizeText(operator.bytes)],
    ['Skew', operator.skew?.toFixed(2)],
    ...Object.entries(operator.details),
    ['Stage', `${stage.stage}, ${stage.partitioning}`],
    ['Tasks of the stage', numberText(stage.tasks)],
    ['Time of the stage', millisecondsText(stage.elapsed_ms)],
    ['CPU time of the stage', millisecondsText(stage.cpu_ms)],
    ['Output of the stage', sizeText(stage.bytes)],
    ['Read from other nodes', sizeText(stage.bytes_from_other_nodes)],
    ['Spilled', sizeText(stage.bytes_spilled)],
    ['Peak memory of the stage', sizeText(stage.peak_memory_bytes)],
    ...(operator.nodes ?? []).map((one): [string, string] => [
      one.node,
      `${countText(one.rows)} rows, ${secondsText(one.time_ms / 1000)}, ${bytesText(one.bytes)}`,
    ]),
  ];
  return (
    <aside class="cell" aria-label="Operator">
      <header>
        <h3>{operator.operator}</h3>
      </header>
      <dl tabIndex={0}>
        {facts.map(
          ([name, value]) =>
            value !== undefined && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
    </aside>
  );
}

interface Placed {
  readonly x: number;
  readonly y: number;
}

function place(plan: ExplainedPlan) {
  const { nodes, edges } = planGraph(plan);
  const graph = new Graph({ compound: true });
  graph.setGraph({ rankdir: 'BT', nodesep: 28, ranksep: 34, marginx: MARGIN, marginy: MARGIN });
  graph.setDefaultEdgeLabel(() => ({}));
  const framed = plan.stages.length > 1;
  if (framed) for (const { stage } of plan.stages) graph.setNode(`frame ${stage}`, {});
  for (const { id, stage } of nodes) {
    graph.setNode(id, { ...NODE });
    if (framed) graph.setParent(id, `frame ${stage.stage}`);
  }
  for (const { from, to } of edges) graph.setEdge(from, to);
  layout(graph);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  const corner = (id: string): Placed => {
    const { x, y } = graph.node(id) as Placed;
    return { x: x - NODE.width / 2, y: y - NODE.height / 2 };
  };
  return {
    width,
    height,
    nodes: nodes.map((node) => ({ node, ...corner(node.id) })),
    edges: edges.map((edge) =>
      placedEdge(edge, (graph.edge(edge.from, edge.to) as { points: Placed[] }).points),
    ),
    frames: framed ? plan.stages.map((stage) => frameOf(stage, nodes, corner)) : [],
  };
}

function placedEdge(edge: PlanEdge, points: readonly Placed[]) {
  const middle = points[Math.floor(points.length / 2)] ?? { x: 0, y: 0 };
  return { edge, points: points.map(({ x, y }) => `${x},${y}`).join(' '), x: middle.x, y: middle.y };
}

/** The rectangle around the operators of a stage, with room for a line of text. */
function frameOf(stage: PlanStage, nodes: readonly PlanNode[], corner: (id: string) => Placed) {
  const corners = nodes.filter((node) => node.stage === stage).map(({ id }) => corner(id));
  const left = Math.min(...corners.map(({ x }) => x)) - 10;
  const top = Math.min(...corners.map(({ y }) => y)) - 22;
  const right = Math.max(...corners.map(({ x }) => x)) + NODE.width + 10;
  const bottom = Math.max(...corners.map(({ y }) => y)) + NODE.height + 8;
  return { stage, x: left, y: top, w: right - left, h: bottom - top };
}

function stageText({ stage, partitioning, tasks, skew }: PlanStage): string {
  const facts = [
    partitioning,
    tasks === undefined ? '' : `${tasks} ${tasks === 1 ? 'task' : 'tasks'}`,
    skew === undefined ? '' : `skew ${skew.toFixed(1)}`,
  ];
  return `Stage ${stage} · ${facts.filter((fact) => fact !== '').join(' · ')}`;
}

/** The line gets one pixel thicker with every factor of ten. */
const edgeWidth = (rows = 0): number => 1 + Math.min(Math.log10(Math.max(rows, 1)), 8) * 0.6;

function factsOf({ operator }: PlanNode): string {
  const rows = rowsOf(operator);
  const facts = [
    rows === undefined ? '' : `${operator.rows === undefined ? 'about ' : ''}${countText(rows)} rows`,
    operator.time_ms === undefined ? '' : secondsText(operator.time_ms / 1000),
    operator.bytes === undefined ? '' : bytesText(operator.bytes),
  ];
  return facts.filter((fact) => fact !== '').join(' · ');
}

const numberText = (value: number | undefined) => (value === undefined ? undefined : countText(value));
const sizeText = (value: number | undefined) => (value === undefined ? undefined : bytesText(value));
const millisecondsText = (value: number | undefined) =>
  value === undefined ? undefined : secondsText(value / 1000);
