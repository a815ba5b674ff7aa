import { asQueryId, type Incarnation, TesseraError } from '@tessera/common';
import type { KeyFilter, Task, TaskOutcome, TaskSource } from '@tessera/distexec';
import type { ClusterNode } from '../../src/cluster.ts';
import type { ScanAssignment } from '../../src/stage-execution.ts';
import type { SchedulerEffect } from '../../src/state/effects.ts';
import type { AttemptRef, SchedulerEvent } from '../../src/state/events.ts';
import { reduce } from '../../src/state/reducer.ts';
import { initialState, type SchedulerState } from '../../src/state/scheduler-state.ts';
import { countProblems, expectedRows } from './expected-rows.ts';
import { mix, Random } from './random.ts';
import { randomPlan, type SimulatedPlan } from './random-plan.ts';
import { fetchPiece, inlineRows, outputName, SimulatedNode } from './simulated-node.ts';
import { SimulatedPlanner } from './simulated-planner.ts';
import { type Row, rowsOfStage, sortedValues, tabletRows } from './stage-rows.ts';

export interface SimulationResult {
  readonly seed: number;
  /** The violated expectations; empty for a correct run. */
  readonly problems: readonly string[];
  readonly error: string | undefined;
  readonly attempts: number;
  readonly tasks: number;
  readonly events: number;
}

type FaultKind = 'crash' | 'cut' | 'fetch' | 'error' | 'memory' | 'kernel' | 'drain' | 'again' | 'fatal';

/** Faults occur until this time; after it, every node works. */
const FAULTS_UNTIL_MS = 3_000;
/** The limit of virtual time for a run. */
const END_MS = 120_000;
const HEARTBEAT_MS = 200;

/** Runs a random plan on failing nodes in virtual time; the seed determines everything. */
export function simulate(seed: number): SimulationResult {
  return new Simulation(seed).run();
}

class Simulation {
  readonly #seed: number;
  readonly #random: Random;
  readonly #plan: SimulatedPlan;
  readonly #planner: SimulatedPlanner;
  readonly #nodes: readonly SimulatedNode[];
  readonly #self: ClusterNode;
  readonly #problems: string[] = [];
  readonly #agenda = new Agenda();
  /** The outputs of all attempts, for the final comparison. */
  readonly #left = new Map<string, readonly Row[]>();
  readonly #cancelled = new Set<string>();
  readonly #failures = new Map<string, number>();
  #seen = new Set<Incarnation>();
  #sessionIsBusyUntilMs = 0;
  #rootRows: readonly Row[] | undefined;
  #error: TesseraError | undefined;
  #hasEnded = false;
  #events = 0;
  #state: SchedulerState;
  /** Outputs of up to this number of rows travel in the replies of their tasks. */
  readonly #inlineUpTo: number;
  /** The faults that may occur in this run, each with its probability. */
  readonly #faults: Readonly<Record<FaultKind, number>>;

  constructor(seed: number) {
    this.#seed = seed;
    this.#random = new Random(seed);
    const random = this.#random;
    this.#plan = randomPlan(random);
    this.#planner = new SimulatedPlanner(random, this.#plan);
    this.#nodes = Array.from({ length: random.between(1, 5) }, (_, i) => new SimulatedNode(i));
    this.#self = this.#nodes[0]!.describe();
    // Drawn apart, so that everything else follows from the seed as before.
    this.#inlineUpTo = new Random(seed + 1_000_000_007).pick([-1, -1, 10, 100]);
    const some = (most: number) => (random.chance(0.5) ? random.fraction() * most : 0);
    this.#faults = {
      crash: some(0.3),
      cut: some(0.3),
      fetch: some(0.08),
      error: some(0.3),
      memory: some(0.1),
      kernel: some(0.05),
      drain: some(0.1),
      again: some(0.5),
      fatal: random.chance(0.05) ? 0.02 : 0,
    };
    this.#state = initialState(this.#plan.plan, this.#self, {
      queryId: asQueryId('q'),
      run: 1,
      timeZone: 'UTC',
      maxAttempts: 4,
      tasksPerNode: random.between(1, 3),
      retryDelayMs: 50,
      noNodesGraceMs: 2_000,
      blocksPerEvent: random.chance(0.3) ? 0 : 1_000,
      releaseBytes: random.chance(0.5) ? 1 : Number.POSITIVE_INFINITY,
    });
  }

  run(): SimulationResult {
    this.#at(0, () => this.#send({ kind: 'nodes', living: this.#living() }));
    this.#seen = new Set(this.#living().map(({ incarnation }) => incarnation));
    this.#at(0, () => this.#heartbeat());
    this.#at(this.#random.between(0, 300), () => this.#mishap());
    while (!this.#hasEnded && this.#agenda.step() && this.#agenda.nowMs < END_MS);
    if (!this.#hasEnded) this.#problems.push('it does not end');
    this.#judge();
    return {
      seed: this.#seed,
      problems: this.#problems,
      error: this.#error?.name,
      attempts: this.#state.stages
        .flatMap(({ tasks }) => tasks)
        .reduce((sum, { attempt }) => sum + attempt + 1, 0),
      tasks: this.#state.stages.reduce((sum, { tasks }) => sum + tasks.length, 0),
      events: this.#events,
    };
  }

  #at(delayMs: number, action: () => void): void {
    this.#agenda.add(delayMs, action);
  }

  #living = (): readonly ClusterNode[] =>
    this.#nodes.filter((node) => node.isReachable).map((node) => node.describe());

  get #faultsGoOn(): boolean {
    return this.#agenda.nowMs < FAULTS_UNTIL_MS;
  }

  #mayFail(kind: FaultKind): boolean {
    return this.#faultsGoOn && this.#random.chance(this.#faults[kind]);
  }

  // Events that nodes cause.

  #mishap(): void {
    const node = this.#random.pick(this.#nodes);
    if (node.index !== 0 && node.isUp) {
      if (this.#mayFail('crash')) {
        node.crash();
        this.#at(this.#random.between(10, 800), () => node.restart());
      } else if (this.#mayFail('cut')) {
        node.isCutOff = true;
        this.#at(this.#random.between(100, 1_500), () => {
          node.isCutOff = false;
        });
      }
    }
    if (node.isUp && this.#mayFail('kernel')) node.outputs.clear();
    if (this.#mayFail('drain')) {
      node.status = 'draining';
      this.#at(this.#random.between(100, 1_000), () => {
        node.status = 'running';
      });
    }
    if (this.#faultsGoOn) this.#at(this.#random.between(5, 150), () => this.#mishap());
  }

  #heartbeat(): void {
    const living = this.#living();
    const now = new Set(living.map(({ incarnation }) => incarnation));
    for (const incarnation of this.#seen)
      if (!now.has(incarnation)) this.#send({ kind: 'node-lost', incarnation, reason: 'no heartbeat' });
    this.#seen = now;
    if (this.#random.chance(0.5)) this.#send({ kind: 'nodes', living });
    this.#at(HEARTBEAT_MS, () => this.#heartbeat());
  }

  // Actions of the run.

  #send(event: SchedulerEvent): void {
    if (this.#hasEnded) return;
    this.#events++;
    if (this.#faults.again > 0 && event.kind !== 'nodes' && this.#mayFail('again'))
      this.#at(this.#random.between(0, 400), () => this.#send(event));
    this.#countFailure(event);
    const { state, effects } = reduce(this.#state, event);
    this.#state = state;
    if (state.end === undefined)
      this.#problems.push(...countProblems(state).map((problem) => `after ${event.kind}: ${problem}`));
    this.#checkChosen();
    for (const effect of effects) this.#perform(effect);
  }

  /** Counts failures: the last one that a task may have ends the run. */
  #countFailure(event: SchedulerEvent): void {
    if (event.kind !== 'task-failed' || event.error.name === 'FETCH_FAILED') return;
    const { status, attempt } =
      this.#state.stages[this.#state.positions.get(event.stage)!]!.tasks[event.task]!;
    if (status !== 'running' || attempt !== event.attempt) return;
    const task = `${event.stage}/${event.task}`;
    const failures = (this.#failures.get(task) ?? 0) + 1;
    this.#failures.set(task, failures);
    if (failures > this.#state.options.maxAttempts)
      this.#problems.push(`${task} has failed ${failures} times`);
  }

  /** Checks that each attempt that counts really succeeded. */
  #checkChosen(): void {
    for (const { stage, tasks } of this.#state.stages)
      tasks.forEach(({ status, attempt }, task) => {
        if (
          status === 'succeeded' &&
          !this.#left.has(outputName({ stage: stage.id, task, attempt })) &&
          !this.#hasEnded &&
          stage.id !== this.#plan.plan.stages.length - 1
        )
          this.#problems.push(`attempt ${attempt} of ${stage.id}/${task} counts and has not ended`);
      });
  }

  #perform(effect: SchedulerEffect): void {
    switch (effect.kind) {
      case 'refine':
        this.#at(0, () => {
          this.#send({ kind: 'nodes', living: this.#living() });
          const finished = new Set(effect.finished.keys());
          const plan = this.#planner.refined(this.#state.plan, finished, effect.started);
          this.#send({ kind: 'refined', plan });
        });
        return;
      case 'assign':
        this.#at(this.#random.between(0, 10), () => this.#assign(effect));
        return;
      case 'run':
        this.#run(effect.task, this.#nodeOf(effect.node), effect.node.incarnation, effect.inSession);
        return;
      case 'open-root':
        this.#run(effect.task, this.#nodes[0]!, this.#self.incarnation, true);
        return;
      case 'cancel':
        this.#cancelled.add(outputName(effect));
        return;
      case 'release':
        this.#at(this.#random.between(0, 5), () => this.#release(this.#nodeOf(effect.node), effect.stages));
        return;
      case 'timer':
        this.#at(effect.delayMs, () => this.#send({ kind: 'timer', timer: effect.timer }));
        return;
      case 'end':
        this.#hasEnded = true;
        this.#error = effect.error;
    }
  }

  #nodeOf = ({ index }: ClusterNode): SimulatedNode => this.#nodes[index]!;

  #assign({ stage, scans, nodes }: Extract<SchedulerEffect, { kind: 'assign' }>): void {
    const assigned = new Map<number, readonly ScanAssignment[]>();
    for (const [position, { relation, withinKeys }] of scans) {
      const tablets = this.#plan.tables.get(relation)!.map((rows, id) => ({ id, rows }));
      const shares = nodes.map((node, i) => ({
        node,
        own: withinKeys === undefined ? tablets.filter(({ id }) => id % nodes.length === i) : tablets,
        ...(withinKeys && { ownKeys: { column: 'a', ranges: keysOf(i, nodes.length) } }),
      }));
      const filled = shares.filter(({ own }) => own.length > 0);
      assigned.set(
        position,
        (filled.length > 0 ? filled : shares.slice(0, 1)).map(({ node, own, ownKeys }) => ({
          node,
          bytes: own.length,
          ...(ownKeys && { ownKeys }),
          source: {
            kind: 'scan',
            table: { name: relation },
            tablets: own,
            columns: [1],
            shareAtVersion: 1,
          } as unknown as TaskSource,
        })),
      );
    }
    this.#send({ kind: 'assigned', stage, scans: assigned });
  }

  #run(task: Task, node: SimulatedNode, incarnation: Incarnation, inSession: boolean): void {
    const ref = { stage: task.key.stage, task: task.key.task, attempt: task.key.attempt };
    this.#checkBlocks(task);
    if (inSession) {
      const startMs = Math.max(this.#agenda.nowMs, this.#sessionIsBusyUntilMs);
      this.#sessionIsBusyUntilMs = startMs + 10;
    }
    const fail = (error: TesseraError) =>
      this.#reply(node, ref, () => this.#send({ kind: 'task-failed', ...ref, error }));
    this.#at(this.#random.between(1, 20), () => {
      if (this.#cancelled.has(outputName(ref))) return;
      if (!node.isReachable) {
        // The call breaks at once, or after it has taken too long.
        const lost = TesseraError.of('NODE_LOST', { node: node.describe().name, reason: 'no answer' });
        this.#at(this.#random.pick([0, 2_000]), () =>
          this.#send({ kind: 'task-failed', ...ref, error: lost }),
        );
        return;
      }
      if (node.describe().incarnation !== incarnation) {
        fail(TesseraError.of('NODE_RESTARTED', { node: node.describe().name }));
        return;
      }
      node.running.add(outputName(ref));
      this.#at(this.#random.between(1, 200), () => this.#finish(task, node, incarnation, ref, fail));
    });
  }

  #finish(
    task: Task,
    node: SimulatedNode,
    incarnation: Incarnation,
    ref: AttemptRef,
    fail: (error: TesseraError) => void,
  ): void {
    if (!node.isUp || node.describe().incarnation !== incarnation || !node.running.delete(outputName(ref)))
      return;
    if (node.isReachable && this.#cancelled.has(outputName(ref))) return;
    const error = this.#taskError(task);
    if (error !== undefined) {
      fail(error);
      return;
    }
    try {
      const rows = this.#evaluate(task, node);
      const isRoot = ref.stage === this.#plan.plan.stages.length - 1;
      if (isRoot) {
        this.#rootRows = rows;
        this.#send({ kind: 'root-opened', ...ref });
        return;
      }
      node.outputs.set(outputName(ref), rows);
      this.#left.set(outputName(ref), rows);
      this.#reply(node, ref, () =>
        this.#send({ kind: 'task-finished', ...ref, outcome: outcomeOf(rows, this.#inlineUpTo) }),
      );
    } catch (error) {
      if (!(error instanceof TesseraError)) throw error;
      fail(error);
    }
  }

  #taskError({ alone }: Task): TesseraError | undefined {
    if (this.#mayFail('fatal')) return TesseraError.of('DIVISION_BY_ZERO', {});
    if (this.#mayFail('error')) return TesseraError.of('NOT_LEADER', {});
    if (!alone && this.#mayFail('memory')) return TesseraError.of('OUT_OF_MEMORY', { message: 'too much' });
    return undefined;
  }

  /**
   * Delivers a node's reply. A node that is cut off replies when it is reachable again, if it still runs
   * then.
   */
  #reply(node: SimulatedNode, ref: AttemptRef, tell: () => void): void {
    const { incarnation } = node;
    const attempt = () => {
      if (node.isCutOff) this.#at(50, attempt);
      else if (node.isUp && node.incarnation === incarnation) tell();
      else if (this.#random.chance(0.5) && !this.#cancelled.has(outputName(ref)))
        this.#send({
          kind: 'task-failed',
          ...ref,
          error: TesseraError.of('NODE_LOST', { node: node.describe().name, reason: 'reset' }),
        });
    };
    this.#at(this.#random.between(1, 20), attempt);
  }

  #evaluate({ key, sources }: Task, node: SimulatedNode): readonly Row[] {
    const { volatile, unsteady, skewed, plan } = this.#plan;
    const stage = plan.stages.find(({ id }) => id === this.#planner.original(key.stage))!;
    const rows = sources.map((source): readonly Row[] => {
      if (source.kind === 'scan') {
        const tablets = source.tablets as unknown as readonly { id: number; rows: number }[];
        const table = Number((source.table as unknown as { name: string }).name.slice(1));
        const rows = tablets.flatMap(({ id, rows: count }) => tabletRows(table, id, count));
        return rows.filter((row) => passes(row, source.keyFilters));
      }
      if (source.kind !== 'exchange') return [];
      return source.blocks.flatMap((block) => {
        if (this.#mayFail('fetch')) {
          const { stage: of, task, attempt } = block.producer;
          throw TesseraError.of('FETCH_FAILED', {
            node: block.address,
            stage: of,
            task,
            attempt,
            reason: 'cut',
          });
        }
        return fetchPiece(block, this.#nodes, node);
      });
    });
    const made = rowsOfStage(stage, rows, { skewed });
    const nonce = this.#random.between(1, 1e9);
    const varied = made.map(({ value, bucket, key: ofRow }) => ({
      ...(ofRow !== undefined && { key: ofRow }),
      value: volatile.has(key.stage) ? mix(value, nonce) : value,
      bucket: unsteady.has(key.stage) ? mix(value, nonce) % 1024 : bucket,
    }));
    return this.#random.shuffled(varied);
  }

  /** Checks that all blocks belong to attempts that count, one per task. */
  #checkBlocks({ sources, key }: Task): void {
    for (const source of sources) {
      if (source.kind !== 'exchange') continue;
      const seen = new Set<string>();
      for (const { producer, buckets, slice, incarnation } of source.blocks) {
        if (this.#state.nodes[this.#state.numbers.get(incarnation)!]!.status === 'lost')
          this.#problems.push(`${outputName(key)} is to read from ${incarnation}, which is lost`);
        const { stage, task, attempt } = producer;
        const name = `${stage}/${task}/${buckets}/${slice}`;
        const state = this.#state.stages[this.#state.positions.get(stage)!]!.tasks[task]!;
        if (seen.has(name) || state.attempt !== attempt || state.status !== 'succeeded')
          this.#problems.push(`${outputName(key)} is to read ${outputName(producer)}, which does not count`);
        seen.add(name);
      }
    }
  }

  #release(node: SimulatedNode, stages?: readonly number[]): void {
    for (const name of [...node.outputs.keys()])
      if (stages === undefined || stages.includes(Number(name.split('/')[0]))) node.outputs.delete(name);
  }

  #judge(): void {
    for (const { isUsed, node } of this.#state.nodes) if (isUsed) this.#release(this.#nodeOf(node));
    for (const node of this.#nodes)
      if (node.outputs.size > 0) this.#problems.push(`node ${node.index} keeps ${[...node.outputs.keys()]}`);
    if (!this.#hasEnded) return;
    if (this.#error === undefined) {
      const root = this.#plan.plan.stages.at(-1)!;
      const expected = sortedValues(expectedRows(this.#plan, this.#state, this.#left));
      const actual = sortedValues(this.#rootRows ?? []);
      if (this.#planner.hasForgotten) this.#problems.push('it ends well without a stage that is read');
      if (JSON.stringify(actual) !== JSON.stringify(expected))
        this.#problems.push(
          `stage ${root.id} has read ${actual.length} rows, not the ${expected.length} expected ones`,
        );
    } else if (
      !EXPECTED_ERRORS.has(this.#error.name) &&
      !(this.#error.name === 'NO_PROGRESS' && this.#planner.hasForgotten)
    )
      this.#problems.push(`ended with ${this.#error.message}`);
  }
}

const EXPECTED_ERRORS: ReadonlySet<string> = new Set([
  'NODE_LOST',
  'NODE_RESTARTED',
  'NO_NODES',
  'FETCH_FAILED',
  'NOT_LEADER',
  'OUT_OF_MEMORY',
  'DIVISION_BY_ZERO',
]);

/** Outputs of up to `inlineUpTo` rows travel in the outcome. */
function outcomeOf(rows: readonly Row[], inlineUpTo: number): TaskOutcome {
  const bucketRows = new Array<number>(1024).fill(0);
  for (const { bucket } of rows) bucketRows[bucket]!++;
  return {
    rows: rows.length,
    bytes: rows.length << 20,
    bucketRows,
    ...(rows.length <= inlineUpTo && { inline: inlineRows(rows) }),
    cpuMs: 0,
    elapsedMs: 0,
    fetchedRows: 0,
    fetchedBytes: 0,
    storageBytesFetched: 0,
    storageBytesCached: 0,
    reads: [],
    spilledBytes: 0,
    summaries: [],
  };
}

/** Actions in the order of their virtual time; at equal times in the order in which they were added. */
class Agenda {
  nowMs = 0;
  readonly #actions: { readonly atMs: number; readonly action: () => void }[] = [];

  add(delayMs: number, action: () => void): void {
    const atMs = this.nowMs + delayMs;
    let i = this.#actions.length;
    while (i > 0 && this.#actions[i - 1]!.atMs > atMs) i--;
    this.#actions.splice(i, 0, { atMs, action });
  }

  step(): boolean {
    const next = this.#actions.shift();
    if (next === undefined) return false;
    this.nowMs = next.atMs;
    next.action();
    return true;
  }
}

/** No table has more tablets. */
const MOST_TABLETS = 12;

/** The numbers of the tablets that a node has of each table, as ranges. */
const keysOf = (node: number, nodes: number): NonNullable<KeyFilter['ranges']> =>
  Array.from({ length: MOST_TABLETS }, (_, id) => id)
    .filter((id) => id % nodes === node)
    .map((id) => ({ from: String(id), to: String(id + 1) }));

const passes = ({ key }: Row, filters: readonly KeyFilter[] = []): boolean =>
  filters.every(({ ranges = [] }) =>
    ranges.some(({ from, to }) => key! >= Number(from) && key! < Number(to)),
  );
