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
      case 'reference': {
        const definition = this.definitions.get(relation.id);
        if (definition === undefined) return { relation, at: identity };
        return { relation: { ...relation, columns: definition.relation.columns }, at: definition.at };
      }
      case 'function': {
        if (relation.input === undefined) return { relation, at: identity };
        const input = this.inOrder(relation.input);
        return { relation: { ...relation, input }, at: identity };
      }
      case 'filter': {
        const input = this.pruned(relation.input, needs[0]!);
        const predicates = relation.predicates.map((p) => shiftReferences(p, input.at));
        return {
          relation: { ...relation, input: input.relation, predicates, columns: input.relation.columns },
          at: input.at,
        };
      }
      case 'project': {
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
      case 'join': {
        const left = this.exactly(relation.left, needs[0]!);
        const right = this.exactly(relation.right, needs[1]!);
        const width = relation.left.columns.length;
        const newWidth = left.relation.columns.length;
        const atBoth = (i: number) => (i < width ? left.at(i) : newWidth + right.at(i - width));
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
          at: isRightOnly
            ? right.at
            : relation.type === 'mark'
              ? (i) => (i < width ? left.at(i) : newWidth)
              : atBoth,
        };
      }
      case 'positional_join': {
        const left = this.exactly(relation.left, needs[0]!);
        const right = this.exactly(relation.right, needs[1]!);
        const width = relation.left.columns.length;
        const newWidth = left.relation.columns.length;
        return {
          relation: {
            ...relation,
            left: left.relation,
            right: right.relation,
            columns: [...left.relation.columns, ...right.relation.columns],
          },
          at: (i) => (i < width ? left.at(i) : newWidth + right.at(i - width)),
        };
      }
      case 'aggregate': {
        const { groups, aggregates, groupingCalls, columns } = relation;
        const input = this.exactly(relation.input, needs[0]!);
        const kept = keptAggregates(aggregates.length, groups.length, needed);
        const first = groups.length + aggregates.length;
        const calls = [...groupingCalls.keys()].filter((i) => needed.has(first + i));
        const order = [
          ...groups.keys(),
          ...kept.map((i) => groups.length + i),
          ...calls.map((i) => first + i),
        ];
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
      case 'distinct': {
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
      case 'window': {
        const width = relation.input.columns.length;
        const input = this.exactly(relation.input, needs[0]!);
        const kept = [...relation.windows.keys()].filter((i) => needed.has(width + i));
        if (kept.length === 0) return input;
        const newWidth = input.relation.columns.length;
        const atWindow = positions(kept);
        return {
          relation: {
            ...relation,
            input: input.relation,
            windows: kept.map((i) => shiftReferences(relation.windows[i]!, input.at)),
            columns: [...input.relation.columns, ...kept.map((i) => relation.columns[width + i]!)],
          },
          at: (i) => (i < width ? input.at(i) : newWidth + atWindow(i - width)),
        };
      }
      case 'unnest': {
        const width = relation.input.columns.length;
        const input = this.pruned(relation.input, needs[0]!);
        const newWidth = input.relation.columns.length;
        return {
          relation: {
            ...relation,
            input: input.relation,
            unnests: relation.unnests.map((e) => shiftReferences(e, input.at)),
            columns: [...input.relation.columns, ...relation.columns.slice(width)],
          },
          at: (i) => (i < width ? input.at(i) : newWidth + i - width),
        };
      }
      case 'sort': {
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
      case 'limit': {
        // A limit stays directly above the sort that it cuts.
        const input = this.pruned(relation.input, needs[0]!);
        const columns = input.relation.columns;
        const limit = relation.limit && shiftReferences(relation.limit, input.at);
        const offset = relation.offset && shiftReferences(relation.offset, input.at);
        return { relation: { ...relation, input: input.relation, limit, offset, columns }, at: input.at };
      }
      case 'sample': {
        const input = this.pruned(relation.input, needs[0]!);
        return {
          relation: { ...relation, input: input.relation, columns: input.relation.columns },
          at: input.at,
        };
      }
      case 'set': {
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
      case 'shared': {
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
      case 'recursive':
        return {
          relation: { ...relation, anchor: this.inOrder(relation.anchor), step: this.inOrder(relation.step) },
          at: identity,
        };
    }
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

const shiftKeys = <K extends { readonly expression: PlanExpression }>(
  keys: readonly K[],
  at: (index: number) => number,
): readonly K[] => keys.map((key) => ({ ...key, expression: shiftReferences(key.expression, at) }));
