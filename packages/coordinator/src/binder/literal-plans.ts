import { isDeepStrictEqual } from 'node:util';
import {
  comparedColumns,
  filledTemplate,
  type LiteralSkeleton,
  type LiteralTemplate,
  literalTemplate,
} from '@tessera/sql';
import type { BoundQuery } from '../read/bound-query.ts';
import { filledScans, type ScanTemplate, scanTemplate, simpleScan } from './literal-scans.ts';

/** The state of learning about statements that differ in literals only. */
export interface LiteralPlan {
  /** The query that was bound last for one of them, and its literals. */
  readonly bound: BoundQuery;
  readonly literals: readonly string[];
  /** Undefined until two of them were bound and differed in their literals only. */
  readonly template: LiteralTemplate | undefined;
  /** The scan with places for the literals; undefined if the query was not planned, and then reads everything. */
  readonly scan?: ScanTemplate | undefined;
}

/** Whether a bound query depends on its literals through its text alone, or also through conditions of a simple scan. */
const isIndependent = (bound: BoundQuery): boolean =>
  (!isPruned(bound) || simpleScan(bound) !== undefined) &&
  bound.patterns.length === 0 &&
  !comparesDocuments(bound) &&
  bound.prepared.time === 'none' &&
  bound.prepared.date === undefined &&
  bound.prepared.sessionRelations.size === 0;

const JSON_CALL = /\b(?:json_|tsr_(?:to_)?json)\w*\(/i;

/**
 * Whether documents may be compared: SQL for `doc = '5'` is not that for `doc = '"a"'`, although both literals are texts for
 * the client.
 */
const comparesDocuments = ({ prepared, tables }: BoundQuery): boolean =>
  JSON_CALL.test(prepared.sql) ||
  [...tables.values()].some(({ table }) => table.columns.some(({ declared }) => declared === 'jsonb'));

/** Whether it reads what its plan has shown to be needed. */
const isPruned = ({ isPlanned, tables }: BoundQuery): boolean => isPlanned && tables.size > 0;

/** What is known after another statement of the kind was bound; undefined if it depends on its literals. */
export function literalPlan(
  known: LiteralPlan | undefined,
  bound: BoundQuery,
  { literals }: LiteralSkeleton,
): LiteralPlan | undefined {
  if (!isIndependent(bound)) return undefined;
  if (known === undefined || !meansTheSame(known.bound, bound))
    return { bound, literals, template: undefined };
  const before = { sql: known.bound.prepared.sql, literals: known.literals };
  const template = literalTemplate(before, { sql: bound.prepared.sql, literals });
  if (template === undefined || !isPruned(bound)) return { bound, literals, template };
  const scan = prunedTemplate(known, { bound, literals }, template);
  return { bound, literals, template: scan && template, scan };
}

function prunedTemplate(
  known: LiteralPlan,
  given: Pick<LiteralPlan, 'bound' | 'literals'>,
  template: LiteralTemplate,
): ScanTemplate | undefined {
  const compared = comparedColumns(template, given.literals);
  return compared && scanTemplate(known, given, compared);
}

/** Whether two bound queries differ in their SQL only. */
const meansTheSame = (a: BoundQuery, b: BoundQuery): boolean =>
  isPruned(a) === isPruned(b) &&
  a.named.length === b.named.length &&
  a.named.every(({ object }, i) => object === b.named[i]!.object) &&
  isDeepStrictEqual([...a.tables.keys()], [...b.tables.keys()]) &&
  isDeepStrictEqual(a.prepared.columns, b.prepared.columns) &&
  isDeepStrictEqual(a.prepared.tables, b.prepared.tables) &&
  isDeepStrictEqual(a.prepared.namedColumns, b.prepared.namedColumns) &&
  isDeepStrictEqual(a.prepared.indexes, b.prepared.indexes) &&
  isDeepStrictEqual(a.prepared.parameters, b.prepared.parameters) &&
  a.prepared.unstable === b.prepared.unstable &&
  a.prepared.fewRows === b.prepared.fewRows &&
  a.prepared.readsNothing === b.prepared.readsNothing &&
  a.prepared.keepsNoRows === b.prepared.keepsNoRows;

/** The query for a statement with other literals; undefined if it must be bound. */
export function withLiterals(
  { bound, template, scan }: LiteralPlan,
  { literals }: LiteralSkeleton,
): BoundQuery | undefined {
  const sql = template && filledTemplate(template, literals);
  if (sql === undefined) return undefined;
  const scans = scan && filledScans(scan, literals, bound);
  if (scan !== undefined && scans === undefined) return undefined;
  // The other forms of the query contain the literals that it was bound with, and are only needed for a plan.
  const prepared = { ...bound.prepared, sql, boundSql: undefined, topRows: undefined };
  return { ...bound, prepared, uses: 0, scans: scans ?? bound.scans, serializedPlan: undefined };
}
