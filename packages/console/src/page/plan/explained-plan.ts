/** An operator of `EXPLAIN (FORMAT JSON)`; the HTTP API documents the members. */
export interface PlanOperator {
  readonly operator: string;
  readonly details: Readonly<Record<string, string>>;
  readonly inputs: readonly PlanOperator[];
  /** The stage whose output it reads. */
  readonly stage?: number;
  readonly estimated_rows?: number;
  readonly rows?: number;
  readonly time_ms?: number;
  readonly bytes?: number;
  readonly rows_scanned?: number;
  readonly skew?: number;
  readonly nodes?: readonly {
    readonly node: string;
    readonly rows: number;
    readonly time_ms: number;
    readonly bytes: number;
  }[];
}

export interface PlanStage {
  readonly stage: number;
  readonly partitioning: string;
  readonly operators: PlanOperator;
  readonly estimated_rows?: number;
  readonly tasks?: number;
  readonly elapsed_ms?: number;
  readonly cpu_ms?: number;
  readonly rows?: number;
  readonly bytes?: number;
  readonly skew?: number;
  readonly peak_memory_bytes?: number;
  readonly bytes_from_other_nodes?: number;
  readonly bytes_spilled?: number;
}

export interface ExplainedPlan {
  readonly stages: readonly PlanStage[];
  readonly warnings: readonly string[];
  readonly reason: string | undefined;
}

/** The plan in a value of a result; undefined if the value is none. */
export function readPlan(value: unknown): ExplainedPlan | undefined {
  if (typeof value !== 'string' || !value.startsWith('{')) return undefined;
  try {
    const { stages, warnings = [], nodes } = JSON.parse(value);
    return Array.isArray(stages) ? { stages, warnings, reason: nodes?.reason } : undefined;
  } catch {
    return undefined;
  }
}

export interface PlanNode {
  readonly id: string;
  readonly stage: PlanStage;
  readonly operator: PlanOperator;
  /** Its part of the time of all operators, 0 to 1; 0 if the plan was not executed. */
  readonly share: number;
}

export interface PlanEdge {
  /** The operator that produces the rows. */
  readonly from: string;
  readonly to: string;
  readonly rows: number | undefined;
}

/** The operators of all stages, and the rows that go from one to the next. */
export function planGraph({ stages }: ExplainedPlan): { nodes: PlanNode[]; edges: PlanEdge[] } {
  const nodes: PlanNode[] = [];
  const edges: PlanEdge[] = [];
  const roots = new Map<number, string>();
  const crossings: { stage: number; to: string }[] = [];
  for (const stage of stages) {
    const visit = (operator: PlanOperator, id: string) => {
      nodes.push({ id, stage, operator, share: 0 });
      operator.inputs.forEach((input, at) => {
        visit(input, `${id}.${at}`);
        edges.push({ from: `${id}.${at}`, to: id, rows: rowsOf(input) });
      });
      if (operator.stage !== undefined) crossings.push({ stage: operator.stage, to: id });
    };
    const root = `s${stage.stage}`;
    roots.set(stage.stage, root);
    visit(stage.operators, root);
  }
  for (const { stage, to } of crossings) {
    const from = roots.get(stage);
    const source = stages.find((other) => other.stage === stage);
    if (from !== undefined) edges.push({ from, to, rows: source?.rows ?? source?.estimated_rows });
  }
  const total = nodes.reduce((sum, node) => sum + (node.operator.time_ms ?? 0), 0);
  return {
    nodes: nodes.map((node) => ({
      ...node,
      share: total === 0 ? 0 : (node.operator.time_ms ?? 0) / total,
    })),
    edges,
  };
}

/** The rows that an operator returned, otherwise the estimate. */
export const rowsOf = ({ rows, estimated_rows }: PlanOperator): number | undefined => rows ?? estimated_rows;
