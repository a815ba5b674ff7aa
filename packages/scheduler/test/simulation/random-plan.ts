import type {
  DistributedPlan,
  ExchangeSource,
  ScanSource,
  Stage,
  StageId,
  StageSource,
} from '@tessera/planner';
import type { Random } from './random.ts';

export interface SimulatedPlan {
  readonly plan: DistributedPlan;
  /** The number of rows in each tablet of each table. */
  readonly tables: ReadonlyMap<string, readonly number[]>;
  /** Stages whose attempts return different rows each time, as the plan declares. */
  readonly volatile: ReadonlySet<StageId>;
  /**
   * Stages whose attempts return the same rows in different buckets each time, which the plan does not
   * declare.
   */
  readonly unsteady: ReadonlySet<StageId>;
  /** Stages with most of their rows in one bucket. */
  readonly skewed: ReadonlySet<StageId>;
}

/** The numbers of tables that tasks read within their keys begin here. */
const WITHIN_KEYS = 100;

const scanOf = (relation: string, dynamicFilters: ScanSource['dynamicFilters']): ScanSource => ({
  kind: 'scan',
  relation,
  columns: ['a'],
  filters: [],
  partitioning: 'source',
  dynamicFilters,
});

/** A plan of random stages; each except the root is read by another one. */
export function randomPlan(random: Random): SimulatedPlan {
  const count = random.between(2, 9);
  const stages: Stage[] = [];
  const tables = new Map<string, readonly number[]>();
  const volatile = new Set<StageId>();
  const unsteady = new Set<StageId>();
  const skewed = new Set<StageId>();
  const unread = new Set<StageId>();
  /** Stages whose tasks have their rows by ranges of a key. */
  const keyed = new Set<StageId>();
  const read = (mode: ExchangeSource['mode'], stage: StageId): ExchangeSource => {
    unread.delete(stage);
    return { kind: 'exchange', stage, mode };
  };
  const anyStage = () =>
    unread.size > 0 && random.chance(0.7) ? random.pick([...unread]) : random.between(0, stages.length - 1);
  const table = (relation: string, tablets: number) =>
    tables.set(
      relation,
      Array.from({ length: tablets }, () => random.between(0, 30)),
    );
  /** A table that every task reads whole, or only with the keys of its own rows. */
  const withinKeys = (id: StageId): StageSource => {
    const relation = `t${WITHIN_KEYS + id}`;
    table(relation, random.between(1, 12));
    const within = { withinKeys: { column: 'a', domain: 'd' } };
    return { ...scanOf(relation, []), partitioning: 'replicated', ...within };
  };
  for (let id = 0; id < count; id++) {
    const sources: StageSource[] = [];
    let partitioning: Stage['partitioning'] = 'source';
    let sliceable: number[] | undefined;
    let after: number[] = [];
    const kind =
      id === 0
        ? 'scan'
        : random.pick([
            'scan',
            'scan',
            'hash',
            'hash',
            'hash',
            'join',
            'join',
            'forward',
            'single',
            'coordinator',
          ]);
    if (kind === 'scan') {
      const relation = `t${id}`;
      const tablets = random.chance(0.1) ? 0 : random.between(1, 12);
      table(relation, tablets);
      const dynamicFilters = id > 0 && random.chance(0.3) ? [{ column: 'a', stage: anyStage(), key: 0 }] : [];
      if (random.chance(0.4)) keyed.add(id);
      const domain = keyed.has(id) ? { keyDomain: 'd' } : {};
      sources.push({ ...scanOf(relation, dynamicFilters), ...domain });
      if (keyed.has(id) && random.chance(0.4)) sources.push(withinKeys(id));
    } else if (kind === 'hash') {
      partitioning = 'hash';
      sources.push(read('hash', anyStage()));
      if (random.chance(0.4)) sources.push(read('hash', anyStage()));
    } else if (kind === 'join' && id >= 2) {
      partitioning = 'hash';
      const probe = anyStage();
      sources.push(
        read('hash', probe),
        read('hash', random.pick(stages.map((s) => s.id).filter((s) => s !== probe))),
      );
      sliceable = [0];
    } else if (kind === 'forward' || kind === 'join') {
      const forwarded = anyStage();
      sources.push(read('forward', forwarded));
      if (keyed.has(forwarded) && random.chance(0.5)) sources.push(withinKeys(id));
      else if (random.chance(0.3)) sources.push(read('forward', anyStage()));
    } else {
      partitioning = kind === 'coordinator' ? 'coordinator' : 'single';
      sources.push(read('gather', anyStage()));
      if (random.chance(0.3)) sources.push(read('gather', anyStage()));
    }
    if (id > 0 && random.chance(0.25)) sources.push(read('broadcast', anyStage()));
    if (id > 1 && random.chance(0.15)) after = [random.between(0, id - 1)];
    if (random.chance(0.15)) volatile.add(id);
    else if (random.chance(0.1) && kind !== 'join') unsteady.add(id);
    if (random.chance(0.5)) skewed.add(id);
    stages.push(stageOf(id, partitioning, sources, { after, isVolatile: volatile.has(id), sliceable }));
    unread.add(id);
  }
  const inputs = [...unread].map((stage) => read('gather', stage));
  stages.push(stageOf(count, 'coordinator', inputs, {}));
  // A hash join must find equal rows in equal buckets.
  for (const { sliceable, sources } of stages)
    if (sliceable)
      for (const source of sources) if (source.kind === 'exchange') unsteady.delete(source.stage);
  return { plan: { stages, unboundedGathers: [] }, tables, volatile, unsteady, skewed };
}

function stageOf(
  id: StageId,
  partitioning: Stage['partitioning'],
  sources: readonly StageSource[],
  more: Partial<Stage>,
): Stage {
  return {
    id,
    partitioning,
    sources,
    sql: sources.map((_, position) => position),
    output: { columns: [{ name: 'a', type: 'BIGINT' }], hashKeys: [0], summarised: [] },
    estimate: { rows: 1, bytes: 1 },
    after: [],
    isVolatile: false,
    outline: () => [],
    ...more,
  };
}
