import { TesseraError } from '@tessera/common';
import type { IndexUse, PrepareContext } from '../relations/prepare-context.ts';
import type { AggregatingIndex } from '../relations/relation-resolver.ts';
import { type Statement, transformTree } from '../tree.ts';
import { answerFromIndex, type IndexRows, isGrouping, NotAnswered } from './answer-from-index.ts';
import { type BindableQuery, columnNames, countTables } from './bindable-query.ts';
import { kernelFunctions } from './index-expressions.ts';
import { type IndexedTable, type IndexShape, indexShape } from './index-shape.ts';

/** A query and what it does with the aggregating indexes of its tables. */
export interface IndexedQuery {
  /** The same query over partial rows where they serve; otherwise the query itself. */
  readonly answering: BindableQuery;
  readonly uses: readonly IndexUse[];
}

interface Candidate {
  readonly boundName: string;
  readonly index: AggregatingIndex;
  readonly shape: IndexShape;
}

/**
 * Replaces tables by the partial rows of their aggregating indexes in every part of a query that one can answer, where that reads
 * fewer rows. Types of aggregates stay the same.
 */
export async function withIndexes(query: BindableQuery, context: PrepareContext): Promise<IndexedQuery> {
  const candidates = await candidatesOf(query, context);
  if (candidates.length === 0) return { answering: query, uses: [] };
  const { aggregates } = await kernelFunctions(context.session);
  const reasons = new Map<Candidate, string>();
  const used = new Map<Candidate, IndexRows>();
  for (const candidate of candidates) {
    const { rows, use } = candidate.index;
    const found = await use();
    if (found !== undefined) used.set(candidate, found);
    else
      reasons.set(
        candidate,
        `${rows.partial} partial rows and ${rows.rest} rows without any cost no less than the ${rows.table} rows of the table`,
      );
  }
  const answered = new Set<Candidate>();
  const rewrite = (statement: Statement): Statement =>
    transformTree(statement, {
      queryNode: (node) => {
        if (node.type !== 'SELECT_NODE' || !isGrouping(node, aggregates)) return node;
        for (const [candidate, rows] of used) {
          try {
            const { boundName, index, shape } = candidate;
            const { columns } = index.table;
            const answer = answerFromIndex(node, { boundName, columns, shape, aggregates }, rows);
            answered.add(candidate);
            return answer;
          } catch (error) {
            if (!(error instanceof NotAnswered)) throw error;
            if (!reasons.has(candidate)) reasons.set(candidate, error.message);
          }
        }
        return node;
      },
    });
  const running = rewrite(query.running);
  const uses = candidates.map((candidate): IndexUse => {
    const { name: index, table, rows } = candidate.index;
    const reason = answered.has(candidate)
      ? undefined
      : (reasons.get(candidate) ?? 'the query does not aggregate the table');
    return { index, table: table.name, rows, reason };
  });
  if (answered.size === 0) return { answering: query, uses };
  const bound = query.bound === query.running ? running : rewrite(query.bound);
  const tables = countTables(running);
  return { answering: { ...query, running, bound, tables, namedColumns: columnNames(running) }, uses };
}

const rowsToRead = ({ index: { rows } }: Candidate): number => rows.partial + rows.rest;

/** Indexes of the tables that the query reads, the cheapest first. */
async function candidatesOf(
  { tables }: BindableQuery,
  context: PrepareContext,
): Promise<readonly Candidate[]> {
  const { relations } = context;
  const found: Candidate[] = [];
  if (relations?.aggregatingIndexes === undefined) return found;
  for (const boundName of tables.keys()) {
    for (const index of await relations.aggregatingIndexes(boundName)) {
      const shape = await shapeOfIndex(index, context);
      if (shape !== undefined) found.push({ boundName, index, shape });
    }
  }
  return found.sort((a, b) => rowsToRead(a) - rowsToRead(b));
}

/** Keyed by the expressions of the index's definition, which a definition keeps. */
const shapes = new WeakMap<readonly string[], { readonly columns: string; readonly shape: IndexShape }>();

/**
 * The shape of an index; undefined if its expressions cannot be bound any more, or if what it stores is of another form, because another
 * version of the program made it.
 */
export async function shapeOfIndex(
  { expressions, stored, table }: Pick<AggregatingIndex, 'expressions' | 'stored'> & { table: IndexedTable },
  context: Omit<PrepareContext, 'relations' | 'resolveRead'>,
): Promise<IndexShape | undefined> {
  const columns = JSON.stringify(table.columns.map(({ name, type }) => [name, type]));
  const known = shapes.get(expressions);
  const written = expressions.map((sql) => ({ sql, offset: 0 }));
  const shape =
    known?.columns === columns
      ? known.shape
      : await indexShape(written, '', table, context).catch((error: unknown) => {
          if (!(error instanceof TesseraError) || error.name === 'KERNEL_LOST') throw error;
        });
  if (shape === undefined) return undefined;
  shapes.set(expressions, { columns, shape });
  const made = [...shape.keys, ...shape.states];
  const isStored = made.every(
    ({ column, type }, i) => stored[i]?.name === column && stored[i]?.type === type,
  );
  return isStored && made.length === stored.length ? shape : undefined;
}
