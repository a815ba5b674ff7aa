import type { DistributedPlan, Stage, StageSource } from '@tessera/planner';
import { type ExecutedPlan, stageTotals } from '@tessera/scheduler';
import { renamed, type TableNames } from '../read/table-names.ts';

/** The stages of a plan as JSON members. */
export const stageMembers = ({ stages }: Pick<DistributedPlan, 'stages'>, names: TableNames) =>
  stages.map((stage) => stageMember(stage, names));

/**
 * The same for a plan that was run, with the measurements of each stage except the root, summed over all
 * nodes.
 */
export const executedStageMembers = ({ plan, profiles }: ExecutedPlan, names: TableNames) =>
  plan.stages.map((stage) => {
    const profile = profiles.find((one) => one.stage === stage.id);
    if (profile === undefined) return stageMember(stage, names);
    const totals = stageTotals(profile);
    return {
      ...stageMember(stage, names),
      tasks: profile.tasks,
      attempts: profile.attempts,
      elapsed_ms: profile.elapsedMs,
      cpu_ms: totals.cpuMs,
      rows: totals.rows,
      bytes: totals.bytes,
      skew: totals.skew,
      bytes_from_other_nodes: totals.fetchedBytes,
      bytes_from_storage: totals.storageBytes,
      bytes_spilled: totals.spilledBytes,
    };
  });

const stageMember = ({ id, partitioning, sources, output, estimate, outline }: Stage, names: TableNames) => ({
  stage: id,
  partitioning,
  reads: sources.map((source) => sourceMember(source, names)),
  columns: output.columns.map(({ name, type }) => ({ name, type })),
  bucket_keys: output.hashKeys.map((key) => output.columns[key]?.name),
  estimate,
  outline: outline.map((line) => renamed(line, names)),
});

function sourceMember(source: StageSource, names: TableNames) {
  switch (source.kind) {
    case 'scan': {
      const { kind, relation, columns, partitioning } = source;
      return { kind, table: renamed(relation, names), columns, partitioning };
    }
    case 'exchange':
      return { kind: source.kind, stage: source.stage, mode: source.mode };
    case 'session':
      return { kind: source.kind };
  }
}
