import type { DynamicFilter, ExchangeSource, FinishedStage, StageId } from '../../distributed-plan.ts';
import type {
  InputRelation,
  JoinRelation,
  Relation,
  RelationColumn,
  ScanRelation,
} from '../../relational/relation.ts';
import { type Estimate, Estimates } from '../estimate/estimate.ts';
import type { PlanFacts } from '../plan-facts.ts';
import type { Fragment, KeyedColumns, Placed } from './fragment.ts';
import type { WeighedStrategy } from './weighed-strategy.ts';

/** A stage while the plan is being made. */
export interface StageDraft {
  readonly id: StageId;
  readonly partitioning: 'source' | 'hash' | 'single' | 'coordinator';
  readonly relation: Relation;
  readonly columns: readonly RelationColumn[];
  hashKeys: readonly number[];
  /** Whether no stage reads by the hash keys yet, so that they may still change. */
  hasOpenKeys: boolean;
  readonly summarised: Set<number>;
  /** Columns among `summarised` whose values filter rows of later scans. */
  readonly filterKeys: Set<number>;
  readonly after: Set<StageId>;
  readonly isVolatile: boolean;
  /** The position in `columns` of the key by which the rows of each task are in order. */
  sortKey?: number | undefined;
  readonly rows: number;
  readonly bytes: number;
  /** The number of distinct values of each column. */
  readonly distinct: readonly number[];
  /** See `Estimate`. */
  readonly tableColumns: Estimate['tableColumns'];
  /** For `source`: the key by whose ranges the tasks have the rows, and its columns in the output. */
  readonly keyed?: KeyedColumns | undefined;
  /** The stage has started and must not change. */
  readonly isFixed: boolean;
}

/** The stage and exchange mode of an `input` relation. Without a mode, the reading task reads all rows. */
export interface InputReading {
  stage: StageId;
  /** The position in the output of the stage that the first column of the input has. */
  firstColumn: number;
  mode?: ExchangeSource['mode'] | undefined;
}

/** A column of a replicated scan of which a task needs only the values in its own ranges of a key. */
export interface KeyLimit {
  readonly column: string;
  readonly domain: string;
  /** The leaves that the key divides. The limit holds only in a stage that reads all of them divided. */
  readonly dividedLeaves: readonly Relation[];
}

/** Fragments that are stage outputs and together contain all rows of a relation. */
export type MaterializedRows = readonly Fragment[];

/** The part of the planning state that is kept to refine the plan while it runs. */
export interface PlanMemory {
  readonly tree: Relation;
  readonly drafts: readonly StageDraft[];
  readonly readings: ReadonlyMap<number, InputReading>;
  readonly materialized: ReadonlyMap<Relation, readonly MaterializedRows[]>;
  readonly rewrites: Map<Relation, Map<string, unknown>>;
  readonly dynamicFilters: ReadonlyMap<ScanRelation, readonly DynamicFilter[]>;
  readonly partitionedScans: ReadonlySet<ScanRelation>;
  readonly keyLimits: ReadonlyMap<ScanRelation, KeyLimit>;
  readonly partials: ReadonlySet<Relation>;
  readonly coLocated: ReadonlyMap<JoinRelation['conditions'], number>;
}

const FIRST_OWN_SHARED_ID = 1_000_000;

/** The state of planning one query: facts, estimates and the decisions made so far. */
export class Planning {
  readonly facts: PlanFacts;
  readonly estimates: Estimates;
  readonly drafts: StageDraft[] = [];
  readonly readings = new Map<number, InputReading>();
  /**
   * The stage outputs of each materialized relation. A reader that needs the rows hashed by other keys adds
   * another set. A set whose stages have started is kept for the rest of the run, so refinements add at most
   * one set per relation and list of keys.
   */
  readonly materialized = new Map<Relation, readonly MaterializedRows[]>();
  /** The materialized relations whose stages have all started. */
  readonly fixed: ReadonlyMap<Relation, readonly MaterializedRows[]>;
  /** The output sizes of finished stages. */
  readonly finished = new Map<StageId, FinishedStage>();
  readonly shared = new Map<number, Placed>();
  readonly dynamicFilters = new Map<ScanRelation, readonly DynamicFilter[]>();
  /** Scans that are divided among tasks. The others are replicated. */
  readonly partitionedScans = new Set<ScanRelation>();
  /** Replicated scans of which a task needs only the rows with its own keys. */
  readonly keyLimits = new Map<ScanRelation, KeyLimit>();
  /** Partial aggregates, which other stages merge. */
  readonly partials = new Set<Relation>();
  /** The strategies that were weighed for joins with these conditions, cheapest first. */
  readonly weighed = new Map<JoinRelation['conditions'], readonly WeighedStrategy[]>();
  /** The whole query on one node takes more CPU time than to start a task on every node. */
  isWorthAllNodes = false;
  /** Stored bytes of all tables of the query. */
  readonly tableBytes: number;
  /**
   * Joins with these conditions that are computed where the rows are, each with the left column that divides
   * both sides.
   */
  readonly coLocated = new Map<JoinRelation['conditions'], number>();
  readonly reasons: string[] = [];
  /** The texts of columns without a name, for EXPLAIN, by position. */
  readonly columnTexts = new Map<Relation, string[]>();
  /** Hash keys for the output of an aggregate that suit the operator above it. */
  readonly preferredKeys = new Map<Relation, readonly number[]>();
  readonly rewrites: Map<Relation, Map<string, unknown>>;
  private readonly used = new Set<StageId>();
  private nextStage = 0;
  private nextInput = 0;

  constructor(
    facts: PlanFacts,
    before?: { readonly memory: PlanMemory; readonly kept: ReadonlySet<StageId> },
  ) {
    this.facts = facts;
    this.tableBytes = [...facts.tables.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    this.estimates = new Estimates(facts);
    this.rewrites = before?.memory.rewrites ?? new Map();
    const fixed = new Map<Relation, readonly MaterializedRows[]>();
    this.fixed = fixed;
    if (before === undefined) return;
    const { memory, kept } = before;
    for (const draft of memory.drafts) {
      if (!kept.has(draft.id)) continue;
      this.drafts.push({ ...draft, isFixed: true });
      this.used.add(draft.id);
    }
    for (const [id, reading] of memory.readings) {
      this.nextInput = Math.max(this.nextInput, id + 1);
      this.readings.set(id, { ...reading });
    }
    for (const [scan, filters] of memory.dynamicFilters)
      this.dynamicFilters.set(
        scan,
        filters.filter(({ stage }) => kept.has(stage)),
      );
    for (const scan of memory.partitionedScans) this.partitionedScans.add(scan);
    for (const [scan, limit] of memory.keyLimits) this.keyLimits.set(scan, limit);
    for (const partial of memory.partials) this.partials.add(partial);
    for (const [conditions, key] of memory.coLocated) this.coLocated.set(conditions, key);
    for (const [relation, sets] of memory.materialized) {
      const left = sets.filter((outputs) => outputs.every(({ output }) => kept.has(output!.stage)));
      if (left.length === 0) continue;
      fixed.set(relation, left);
      this.materialized.set(relation, left);
    }
  }

  memory(tree: Relation): PlanMemory {
    return {
      tree,
      drafts: this.drafts,
      readings: this.readings,
      materialized: this.materialized,
      rewrites: this.rewrites,
      dynamicFilters: this.dynamicFilters,
      partitionedScans: this.partitionedScans,
      keyLimits: this.keyLimits,
      partials: this.partials,
      coLocated: this.coLocated,
    };
  }

  get nodes(): number {
    return Math.max(1, this.facts.cluster.nodes);
  }

  /** Makes a rewrite of a relation once for a plan and all its refinements. */
  once<T>(relation: Relation, name: string, make: () => T): T {
    const known = this.rewrites.get(relation) ?? new Map<string, unknown>();
    this.rewrites.set(relation, known);
    if (!known.has(name)) known.set(name, make());
    return known.get(name) as T;
  }

  /** Returns an id for a shared relation made by a rule. Ids of shared relations of the statement count up from 0. */
  newSharedId(): number {
    return FIRST_OWN_SHARED_ID + this.rewrites.size;
  }

  addDraft(
    draft: Omit<
      StageDraft,
      'id' | 'isFixed' | 'summarised' | 'filterKeys' | 'after' | 'hashKeys' | 'hasOpenKeys' | 'sortKey'
    >,
    hashKeys: readonly number[],
  ): StageDraft {
    while (this.used.has(this.nextStage)) this.nextStage += 1;
    const made: StageDraft = {
      ...draft,
      hashKeys,
      hasOpenKeys: hashKeys.length === 0,
      id: this.nextStage,
      summarised: new Set(),
      filterKeys: new Set(),
      after: new Set(),
      isFixed: false,
    };
    this.used.add(made.id);
    this.drafts.push(made);
    return made;
  }

  draft(id: StageId): StageDraft {
    const found = this.drafts.find((draft) => draft.id === id);
    if (found === undefined) throw new RangeError(`No stage ${id}`);
    return found;
  }

  /** Returns a relation that reads columns of the output of a stage, from `firstColumn` on. */
  read(stage: StageId, columns: readonly RelationColumn[], firstColumn = 0): InputRelation {
    const id = this.nextInput;
    this.nextInput += 1;
    this.readings.set(id, { stage, firstColumn });
    const relation: InputRelation = { kind: 'input', id, columns };
    this.estimates.set(relation, this.draft(stage));
    return relation;
  }

  /** Returns a relation that reads the same columns as an input, with an exchange mode of its own. */
  readAgain({ id, columns }: InputRelation): InputRelation {
    const { stage, firstColumn } = this.readings.get(id)!;
    return this.read(stage, columns, firstColumn);
  }

  /** Records a warning if a relation that may be large is gathered into one task. */
  gatherReason(what: string, relation: Relation): void {
    const { rows } = this.estimates.of(relation);
    if (rows <= this.facts.cluster.gatherLimitRows) return;
    this.reasons.push(`${what}: about ${Math.round(rows).toLocaleString('en-US')} rows`);
  }
}
