import type { PlanExpression } from '../../plan-nodes.ts';
import type { Relation } from '../../relational/relation.ts';
import { pick, rejoin } from '../tree/build.ts';
import { shiftReferences } from '../tree/expressions.ts';
import { inputsOf } from '../tree/inputs.ts';
import { atLeastOne, inputNeeds, keptAggregates, type Needs } from './input-needs.ts';

/** A relation with fewer columns, and the new positions of the requested ones. */
interface Pruned {
  readonly relation: Relation;
  readonly at: (index: number) => number;
}

/**
 * Removes columns that nothing above reads, below every operator that may become an exchange.
 *     project a                    project a
 *       join x = y         →         join x = y
 *         scan a, b, x                 scan a, x
 *         filter c > 1                 project y
 *           scan c, y                    filter c > 1
 *                                          scan c, y
 * Without this rule, every column that a statement names would be sent with the rows through all exchanges.
 */
export function pruneColumns(root: Relation): Relation {
  const all: Needs = new Set(root.columns.keys());
  const shared = new Map<number, Set<number>>();
  collectSharedNeeds(root, all, shared);
  const { relation, at } = new Pruning(shared).exactly(root, all);
  return pick(
    relation,
    root.columns.map((_, i) => at(i)),
  );
}

/** Collects the columns that are read of each shared relation, by its id. */
function collectSharedNeeds(relation: Relation, needed: Needs, shared: Map<number, Set<number>>): void {
  if (relation.kind === 'reference') {
    const known = shared.get(relation.id) ?? new Set();
    for (const position of needed) known.add(position);
    shared.set(relation.id, known);
    return;
  }
  if (relation.kind === 'shared') {
    collectSharedNeeds(relation.body, needed, shared);
    collectSharedNeeds(relation.definition, atLeastOne(shared.get(relation.id) ?? new Set()), shared);
    return;
  }
  const needs = inputNeeds(relation, needed);
  for (const [i, input] of inputsOf(relation).entries()) collectSharedNeeds(input, needs[i]!, shared);
}

type Of<Kind extends Relation['kind']> = Extract<Relation, { readonly kind: Kind }>;

const identity = (index: number): number => index;

class Pruning {
  private readonly shared: ReadonlyMap<number, ReadonlySet<number>>;
  /** The new column positions of each shared definition. */
  private readonly definitions = new Map<number, Pruned>();

  constructor(shared: ReadonlyMap<number, ReadonlySet<number>>) {
    this.shared = shared;
  }

  /** Like `pruned`, but returns exactly the needed columns, or one column if none is needed. */
  exactly(relation: Relation, needed: Needs): Pruned {
    const pruned = this.pruned(relation, needed);
    if (needed.size === 0 || pruned.relation.columns.length === needed.size) return pruned;
    const order = [...needed].sort((a, b) => a - b);
    return {
      relation: pick(pruned.relation, order.map(pruned.at)),
      at: positions(order),
    };
  }

  /** Returns at least the needed columns. */
  private pruned(relation: Relation, needed: Needs): Pruned {
    const needs = inputNeeds(relation, needed);
    switch (relation.kind) {
      case 'scan':
      case 'session': {
        const kept = sorted(needed);
        return {
          relation: {
            ...relation,
            names: kept.map((i) => relation.names[i]!),
            columns: kept.map((i) => relation.columns[i]!),
          },
          at: positions(kept),
        };
      }
      case 'input':
      case 'values':
        return { relation, at: identity };
      case 'reference':
        return this.reference(relation);
      case 'function':
        return this.tableFunction(relation);
      case 'filter':
        return this.filter(relation, needs);
      case 'project':
        return this.project(relation, needs, needed);
      case 'join':
        return this.join(relation, needs);
      case 'positional_join':
        return this.positionalJoin(relation, needs);
      case 'aggregate':
        return this.aggregate(relation, needs, needed);
      case 'distinct':
        return this.distinct(relation, needs);
      case 'window':
        return this.window(relation, needs, needed);
      case 'unnest':
        return this.unnest(relation, needs);
      case 'sort':
        return this.sort(relation, needs);
      case 'limit':
        return this.limit(relation, needs);
      case 'sample': {
        const input = this.pruned(relation.input, needs[0]!);
        return {
          relation: { ...relation, input: input.relation, columns: input.relation.columns },
          at: input.at,
        };
      }
      case 'set':
        return this.set(relation, needs, needed);
      case 'shared':
        return this.sharedRelation(relation, needed);
      case 'recursive':
        return {
          relation: { ...relation, anchor: this.inOrder(relation.anchor), step: this.inOrder(relation.step) },
          at: identity,
        };
    }
  }

  private reference(relation: Of<'reference'>): Pruned {
    const definition = this.definitions.get(relation.id);
    if (definition === undefined) return { relation, at: identity };
    return { relation: { ...relation, columns: definition.relation.columns }, at: definition.at };
  }

  private tableFunction(relation: Of<'function'>): Pruned {
    if (relation.input === undefined) return { relation, at: identity };
    const input = this.inOrder(relation.input);
    return { relation: { ...relation, input }, at: identity };
  }

  private filter(relation: Of<'filter'>, needs: readonly Needs[]): Pruned {
    const input = this.pruned(relation.input, needs[0]!);
    const predicates = relation.predicates.map((p) => shiftReferences(p, input.at));
    return {
      relation: { ...relation, input: input.relation, predicates, columns: input.relation.columns },
      at: input.at,
    };
  }

  private project(relation: Of<'project'>, needs: readonly Needs[], needed: Needs): Pruned {
    const input = this.pruned(relation.input, needs[0]!);
    const kept = sorted(needed);
    if (kept.length === 0) return { relation: input.relation, at: identity };
    return {
      relation: {
        ...relation,
        input: input.relation,
        expressions: kept.map((i) => shiftReferences(relation.expressions[i]!, input.at)),
        columns: kept.map((i) => relation.columns[i]!),
      },
      at: positions(kept),
    };
  }

  private join(relation: Of<'join'>, needs: readonly Needs[]): Pruned {
    const left = this.exactly(relation.left, needs[0]!);
    const right = this.exactly(relation.right, needs[1]!);
    const width = relation.left.columns.length;
    const atBoth = sideBySide(left, width, right.at);
    const isRightOnly = relation.type === 'right_semi' || relation.type === 'right_anti';
    const changed = {
      ...relation,
      conditions: relation.conditions.map((condition) => ({
        ...condition,
        left: shiftReferences(condition.left, left.at),
        right: shiftReferences(condition.right, right.at),
      })),
      residual: relation.residual.map((e) => shiftReferences(e, atBoth)),
    };
    return {
      relation: rejoin(changed, left.relation, right.relation),
      at: isRightOnly ? right.at : relation.type === 'mark' ? sideBySide(left, width, () => 0) : atBoth,
    };
  }

  private positionalJoin(relation: Of<'positional_join'>, needs: readonly Needs[]): Pruned {
    const left = this.exactly(relation.left, needs[0]!);
    const right = this.exactly(relation.right, needs[1]!);
    const width = relation.left.columns.length;
    return {
      relation: {
        ...relation,
        left: left.relation,
        right: right.relation,
        columns: [...left.relation.columns, ...right.relation.columns],
      },
      at: sideBySide(left, width, right.at),
    };
  }

  private aggregate(relation: Of<'aggregate'>, needs: readonly Needs[], needed: Needs): Pruned {
    const { groups, aggregates, groupingCalls, columns } = relation;
    const input = this.exactly(relation.input, needs[0]!);
    const kept = keptAggregates(aggregates.length, groups.length, needed);
    const first = groups.length + aggregates.length;
    const calls = [...groupingCalls.keys()].filter((i) => needed.has(first + i));
    const order = [...groups.keys(), ...kept.map((i) => groups.length + i), ...calls.map((i) => first + i)];
    return {
      relation: {
        ...relation,
        input: input.relation,
        groups: groups.map((e) => shiftReferences(e, input.at)),
        aggregates: kept.map((i) => shiftReferences(aggregates[i]!, input.at)),
        groupingCalls: calls.map((i) => groupingCalls[i]!),
        columns: order.map((i) => columns[i]!),
      },
      at: positions(order),
    };
  }

  private distinct(relation: Of<'distinct'>, needs: readonly Needs[]): Pruned {
    if (relation.on === undefined) {
      const input = this.inOrder(relation.input);
      return { relation: { ...relation, input }, at: identity };
    }
    const input = this.exactly(relation.input, needs[0]!);
    return {
      relation: {
        ...relation,
        input: input.relation,
        on: relation.on.map((e) => shiftReferences(e, input.at)),
        order: shiftKeys(relation.order, input.at),
        columns: input.relation.columns,
      },
      at: input.at,
    };
  }

  private window(relation: Of<'window'>, needs: readonly Needs[], needed: Needs): Pruned {
    const width = relation.input.columns.length;
    const input = this.exactly(relation.input, needs[0]!);
    const kept = [...relation.windows.keys()].filter((i) => needed.has(width + i));
    if (kept.length === 0) return input;
    return {
      relation: {
        ...relation,
        input: input.relation,
        windows: kept.map((i) => shiftReferences(relation.windows[i]!, input.at)),
        columns: [...input.relation.columns, ...kept.map((i) => relation.columns[width + i]!)],
      },
      at: sideBySide(input, width, positions(kept)),
    };
  }

  private unnest(relation: Of<'unnest'>, needs: readonly Needs[]): Pruned {
    const width = relation.input.columns.length;
    const input = this.pruned(relation.input, needs[0]!);
    return {
      relation: {
        ...relation,
        input: input.relation,
        unnests: relation.unnests.map((e) => shiftReferences(e, input.at)),
        columns: [...input.relation.columns, ...relation.columns.slice(width)],
      },
      at: sideBySide(input, width, identity),
    };
  }

  private sort(relation: Of<'sort'>, needs: readonly Needs[]): Pruned {
    const input = this.exactly(relation.input, needs[0]!);
    return {
      relation: {
        ...relation,
        input: input.relation,
        keys: shiftKeys(relation.keys, input.at),
        columns: input.relation.columns,
      },
      at: input.at,
    };
  }

  private limit(relation: Of<'limit'>, needs: readonly Needs[]): Pruned {
    // A limit stays directly above the sort that it cuts.
    const input = this.pruned(relation.input, needs[0]!);
    const columns = input.relation.columns;
    const limit = relation.limit && shiftReferences(relation.limit, input.at);
    const offset = relation.offset && shiftReferences(relation.offset, input.at);
    return { relation: { ...relation, input: input.relation, limit, offset, columns }, at: input.at };
  }

  private set(relation: Of<'set'>, needs: readonly Needs[], needed: Needs): Pruned {
    if (relation.operation !== 'union' || !relation.isAll) {
      const inputs = relation.inputs.map((input) => this.inOrder(input));
      return { relation: { ...relation, inputs }, at: identity };
    }
    const kept = sorted(atLeastOne(needed));
    const inputs = relation.inputs.map((input, i) => {
      const { relation: below, at } = this.exactly(input, needs[i]!);
      return pick(below, kept.map(at));
    });
    return {
      relation: { ...relation, inputs, columns: kept.map((i) => relation.columns[i]!) },
      at: positions(kept),
    };
  }

  private sharedRelation(relation: Of<'shared'>, needed: Needs): Pruned {
    const read = atLeastOne(this.shared.get(relation.id) ?? new Set());
    const definition = this.exactly(relation.definition, read);
    this.definitions.set(relation.id, definition);
    const body = this.pruned(relation.body, needed);
    return {
      relation: {
        ...relation,
        definition: definition.relation,
        body: body.relation,
        columns: body.relation.columns,
      },
      at: body.at,
    };
  }

  /** Returns all columns at their original positions. */
  private inOrder(relation: Relation): Relation {
    const { relation: below, at } = this.exactly(relation, new Set(relation.columns.keys()));
    return pick(
      below,
      relation.columns.map((_, i) => at(i)),
    );
  }
}

const sorted = (needed: Needs): readonly number[] => [...needed].sort((a, b) => a - b);

const positions = (kept: readonly number[]): ((index: number) => number) => {
  const places = new Map(kept.map((old, now) => [old, now]));
  return (index) => places.get(index) ?? -1;
};

/** The new positions of columns that follow the `width` original columns of `first`. */
const sideBySide =
  (first: Pruned, width: number, next: (index: number) => number) =>
  (index: number): number =>
    index < width ? first.at(index) : first.relation.columns.length + next(index - width);

const shiftKeys = <K extends { readonly expression: PlanExpression }>(
  keys: readonly K[],
  at: (index: number) => number,
): readonly K[] => keys.map((key) => ({ ...key, expression: shiftReferences(key.expression, at) }));
