import type { InputRelation, Relation, RelationColumn, ScanRelation } from '../../relational/relation.ts';
import type { DynamicFilter, ExchangeSource, StageId } from '../distributed-plan.ts';
import { Estimates } from '../estimate/estimate.ts';
import type { PlanFacts } from '../plan-facts.ts';
import type { Fragment, Placed } from './fragment.ts';

/** A stage while the plan is being made. */
export interface StageDraft {
  readonly id: StageId;
  readonly spread: 'shards' | 'buckets' | 'single' | 'coordinator';
  readonly relation: Relation;
  readonly columns: readonly RelationColumn[];
  hashKeys: readonly number[];
  /** Nobody reads by the keys yet: they may still become others. */
  hasOpenKeys: boolean;
  readonly summarised: Set<number>;
  readonly after: Set<StageId>;
  readonly isVolatile: boolean;
  readonly rows: number;
  readonly bytes: number;
  /** It was started: nothing about it may change. */
  readonly isFixed: boolean;
}

/** How the rows of an `input` relation are read; without a mode, as the task that reads them wants: all of them. */
export interface Reading {
  readonly stage: StageId;
  mode?: ExchangeSource['mode'] | undefined;
}

/** Fragments that are all rows of stages (each has an `output`), and together all rows of a relation. */
export type Cut = readonly Fragment[];

/** What is remembered of a plan so that it can be decided again. */
export interface PlanMemory {
  readonly tree: Relation;
  readonly drafts: readonly StageDraft[];
  readonly readings: ReadonlyMap<number, Reading>;
  readonly cuts: ReadonlyMap<Relation, readonly Cut[]>;
  readonly rewrites: Map<Relation, Map<string, unknown>>;
  readonly dynamicFilters: ReadonlyMap<ScanRelation, readonly DynamicFilter[]>;
  readonly sharded: ReadonlySet<ScanRelation>;
  readonly partials: ReadonlySet<Relation>;
}

const FIRST_OWN_SHARED_ID = 1_000_000;

/** A plan being made: what is known, and what has been decided so far. */
export class Planning {
  readonly facts: PlanFacts;
  readonly estimates: Estimates;
  readonly drafts: StageDraft[] = [];
  readonly readings = new Map<number, Reading>();
  /**
   * The cuts of each relation: a further one is made for readers that need the rows hashed by other keys. A cut whose stages
   * were started stays for the rest of the run, so the stages that refinements can add are bounded by relations times keys.
   */
  readonly cuts = new Map<Relation, readonly Cut[]>();
  /** The cuts of which every stage was started. */
  readonly fixed: ReadonlyMap<Relation, readonly Cut[]>;
  /** Bytes of finished stages. */
  readonly finishedBytes = new Map<StageId, number>();
  readonly shared = new Map<number, Placed>();
  readonly dynamicFilters = new Map<ScanRelation, DynamicFilter[]>();
  /** Scans of which each task reads its part; the others are read whole. */
  readonly sharded = new Set<ScanRelation>();
  /** Aggregates of a part of the rows, which others finish. */
  readonly partials = new Set<Relation>();
  readonly reasons: string[] = [];
  /** Groups of an aggregate by which its rows are wanted to be hashed, for what stands above. */
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
    this.estimates = new Estimates(facts);
    this.rewrites = before?.memory.rewrites ?? new Map();
    const fixed = new Map<Relation, readonly Cut[]>();
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
    for (const scan of memory.sharded) this.sharded.add(scan);
    for (const partial of memory.partials) this.partials.add(partial);
    for (const [relation, cuts] of memory.cuts) {
      const left = cuts.filter((cut) => cut.every(({ output }) => kept.has(output!.stage)));
      if (left.length === 0) continue;
      fixed.set(relation, left);
      this.cuts.set(relation, left);
    }
  }

  memory(tree: Relation): PlanMemory {
    const { drafts, readings, cuts, rewrites, dynamicFilters, sharded, partials } = this;
    return { tree, drafts, readings, cuts, rewrites, dynamicFilters, sharded, partials };
  }

  get nodes(): number {
    return Math.max(1, this.facts.cluster.nodes);
  }

  /** A rewrite of a relation, made once for a plan and all that it is refined to. */
  once<T>(relation: Relation, name: string, make: () => T): T {
    const known = this.rewrites.get(relation) ?? new Map<string, unknown>();
    this.rewrites.set(relation, known);
    if (!known.has(name)) known.set(name, make());
    return known.get(name) as T;
  }

  /** For a shared relation that a rule makes; those of statements count up from 0. */
  newSharedId(): number {
    return FIRST_OWN_SHARED_ID + this.rewrites.size;
  }

  addDraft(
    draft: Omit<StageDraft, 'id' | 'isFixed' | 'summarised' | 'after' | 'hashKeys' | 'hasOpenKeys'>,
    hashKeys: readonly number[],
  ): StageDraft {
    while (this.used.has(this.nextStage)) this.nextStage += 1;
    const made: StageDraft = {
      ...draft,
      hashKeys,
      hasOpenKeys: hashKeys.length === 0,
      id: this.nextStage,
      summarised: new Set(),
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

  /** A relation of the rows of a stage. */
  read(stage: StageId, columns: readonly RelationColumn[]): InputRelation {
    const id = this.nextInput;
    this.nextInput += 1;
    this.readings.set(id, { stage });
    return { kind: 'input', id, columns };
  }

  /** Tells that rows without a bound come together in one place. */
  gatherReason(what: string, relation: Relation): void {
    const { rows } = this.estimates.of(relation);
    if (rows <= this.facts.cluster.gatherLimitRows) return;
    this.reasons.push(`${what}: about ${Math.round(rows).toLocaleString('en-US')} rows`);
  }
}
