import type { Conjunct } from '@tessera/tablet';
import type { DistributedPlan, ScanSource, Stage, StageSource } from '../distributed-plan.ts';
import { choiceText } from './placement/cost/cost-text.ts';

/**
 * Renders a plan for EXPLAIN: its cost on one node and on all nodes, then for each stage its partitioning,
 * its output, its inputs and its operators.
 * @param tableName the user-visible name of a table, by its bound name
 */
export function planText(
  plan: DistributedPlan,
  tableName: (bound: string) => string = (bound) => bound,
): string {
  const stages = plan.stages.map((stage, i) =>
    stageText(stage, i === plan.stages.length - 1, tableName).join('\n'),
  );
  const warnings = plan.unboundedGathers.map(
    (reason) => `warning: gathers an input of unbounded size: ${reason}`,
  );
  const choice = plan.choice === undefined ? [] : [choiceText(plan.choice)];
  return [...choice, ...stages, ...warnings].join('\n\n');
}

function stageText(stage: Stage, isRoot: boolean, tableName: (bound: string) => string): readonly string[] {
  const { id, partitioning, output, estimate, after, isVolatile, sources } = stage;
  const keys = namesOf(output, output.hashKeys);
  const head = [
    isRoot ? `root, stage ${id}` : `stage ${id}`,
    partitioning,
    ...(keys === '' ? [] : [`hash by ${keys}`]),
    ...(output.sortKey === undefined ? [] : ['sorted']),
    `about ${count(estimate.rows)} rows, ${bytes(estimate.bytes)}`,
    ...(after.length === 0 ? [] : [`after ${after.join(', ')}`]),
    ...(output.summarised.length === 0 ? [] : [`summarises ${namesOf(output, output.summarised)}`]),
    ...(output.filterKeys === undefined ? [] : [`builds a filter of ${namesOf(output, output.filterKeys)}`]),
    ...(isVolatile ? ['not repeatable'] : []),
  ].join('; ');
  const reads = sources.flatMap((source) => sourceText(source, tableName));
  return [head, ...reads.map((line) => `  reads ${line}`), ...stage.outline().map((line) => `    ${line}`)];
}

function namesOf({ texts, columns }: Stage['output'], positions: readonly number[]): string {
  if (positions.length === 0) return '';
  const names = texts?.() ?? columns.map(({ name }) => name);
  return positions.map((position) => names[position] ?? '?').join(', ');
}

function sourceText(source: StageSource, tableName: (bound: string) => string): readonly string[] {
  switch (source.kind) {
    case 'scan':
      return [scanText(source, tableName)];
    case 'exchange':
      return [`stage ${source.stage}, ${source.mode}`];
    case 'session':
      return ['a session relation'];
  }
}

function scanText(scan: ScanSource, tableName: (bound: string) => string): string {
  const filters = scan.filters.map(conjunctText);
  const dynamic = scan.dynamicFilters.map(
    ({ column, stage, filtersRows }) =>
      `${filtersRows ? 'reduced' : 'pruned'} by keys of stage ${stage} (${column})`,
  );
  return [
    `${tableName(scan.relation)} (${scan.columns.join(', ')}), ${scan.partitioning}`,
    ...(filters.length === 0 ? [] : [`where ${filters.join(' and ')}`]),
    ...(dynamic.length === 0 ? [] : [dynamic.join(', ')]),
    ...(scan.withinKeys === undefined ? [] : [`${scan.withinKeys.column} within the keys of the task`]),
  ].join(', ');
}

function conjunctText(conjunct: Conjunct): string {
  switch (conjunct.kind) {
    case 'compare':
      return `${conjunct.column} ${conjunct.operator} ${conjunct.value}`;
    case 'in':
      return `${conjunct.column} in (${conjunct.values.join(', ')})`;
    case 'null':
      return `${conjunct.column} is ${conjunct.isNull ? '' : 'not '}null`;
    case 'or':
      return `(${conjunct.branches.map((branch) => branch.map(conjunctText).join(' and ')).join(' or ')})`;
  }
}

/** Formats a count with three digits and a unit, because estimates are not exact. */
function count(rows: number): string {
  return scaled(rows, 1000, ['', ' thousand', ' million', ' billion', ' trillion']);
}

function bytes(size: number): string {
  return scaled(size, 1024, [' B', ' KiB', ' MiB', ' GiB', ' TiB', ' PiB']);
}

function scaled(value: number, base: number, units: readonly string[]): string {
  let rest = value;
  let unit = 0;
  while (rest >= base && unit < units.length - 1) {
    rest /= base;
    unit += 1;
  }
  return `${Number(rest.toPrecision(3))}${units[unit]}`;
}
