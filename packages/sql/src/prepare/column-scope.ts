import { isSameName } from '@tessera/common';
import { MANAGED_SCHEMA, type TableRelation } from '../relations/relation-resolver.ts';
import {
  type ColumnRefNode,
  type Expression,
  isQueryNode,
  type JoinRef,
  type QueryNode,
  stringLiteral,
  type TableRef,
} from '../tree.ts';
import { isFloat } from './float-kind.ts';
import { isJsonb } from './jsonb-type.ts';
import { commonKind, elementKind, kindOfType, type ValueKind, valueKind } from './value-kind.ts';

export interface ColumnFacts {
  /** The name of the column, whose case may differ from that of the reference. */
  readonly name?: string;
  /** Whether the reference may mean another column of the same relation, which the kernel calls by another name. */
  readonly isRepeated?: boolean;
  /** Whether the column certainly holds no NULL. */
  readonly notNull: boolean;
  /** `Column.declared` of the column of a table that the column is. */
  readonly declared: string | undefined;
  readonly kind: ValueKind;
  /** The kind of the elements of an array. */
  readonly element?: ValueKind | undefined;
  /** The kernel's type of the column of a table that the column is. */
  readonly type?: string | undefined;
  /** Whether PostgreSQL has the numbers as REAL or DOUBLE PRECISION; undefined if that is unknown. */
  readonly isFloat?: boolean | undefined;
  /** Whether every value is the same text literal, which takes the type of the column in the other queries of a set operation. */
  readonly isTextLiteral?: boolean;
  /** The relation, if the reference names it instead of a column. */
  readonly row?: WholeRow;
}

/** A relation whose row is a value. */
export interface WholeRow {
  readonly alias: string;
  readonly columns: readonly SelectedColumn[];
  /** Whether an outer join may add rows in which every column is NULL. */
  readonly isOptional: boolean;
}

export const NOTHING_KNOWN: ColumnFacts = { notNull: false, declared: undefined, kind: 'unknown' };

export interface SelectedColumn extends ColumnFacts {
  readonly name: string;
}

/**
 * The facts about the column that a reference names, or about the only column of a query in an expression; undefined if no relation is
 * known to have it.
 */
export type FactsOf = (of: ColumnRefNode | QueryNode) => ColumnFacts | undefined;

/** The columns of a managed table by its bound name; undefined for an unknown table. */
export type CatalogColumns = (boundName: string) => TableRelation['columns'] | undefined;

/** Finds the columns of the relations that a FROM clause can name. It returns undefined for columns that are unknown. */
export interface KnownRelations {
  readonly catalog: CatalogColumns;
  /** The columns of a common table expression. */
  cte(name: string): readonly SelectedColumn[] | undefined;
  /**
   * The columns of a query in FROM, or in an expression.
   * @param around the facts about columns that an expression around the query can name
   */
  subquery(node: QueryNode, around?: FactsOf): readonly SelectedColumn[] | undefined;
}

/** The columns of a FROM clause. */
export interface ColumnScope {
  /** The column that a reference names; undefined if it is unknown. */
  column(ref: ColumnRefNode): ColumnFacts | undefined;
  /** Whether a relation with unknown columns may have the column that a reference names. */
  mayHave(ref: ColumnRefNode): boolean;
  /** The columns that `*` (with an empty name) or `relation.*` expands to; undefined if they are unknown. */
  columnsOf(relation: string): readonly SelectedColumn[] | undefined;
}

interface Relation {
  readonly alias: string;
  /** Undefined if the columns are unknown. */
  readonly columns: readonly SelectedColumn[] | undefined;
  readonly isOptional?: boolean;
}

interface Relations {
  readonly list: readonly Relation[];
  /** Whether USING or NATURAL merged columns of two relations. */
  readonly merged: boolean;
}

/** @param outer the facts about the columns of the queries around it */
export const fromScope = (from: TableRef, known: KnownRelations, outer?: FactsOf): ColumnScope =>
  scopeOf(relationsOf(from, known, outer));

function scopeOf({ list, merged }: Relations): ColumnScope {
  const named = (alias: string) => {
    const found = list.filter((relation) => isSameName(relation.alias, alias));
    return found.length === 1 ? found[0] : undefined;
  };
  /** Made when a column of the relation is first asked for: a statement may name thousands. */
  const byName = new Map<Relation, ReadonlyMap<string, readonly SelectedColumn[]>>();
  const columnsNamed = (relation: Relation, name: string): readonly SelectedColumn[] => {
    const known =
      byName.get(relation) ?? Map.groupBy(relation.columns ?? [], (column) => column.name.toLowerCase());
    byName.set(relation, known);
    const [first, ...others] = known.get(name.toLowerCase()) ?? [];
    if (first === undefined) return [];
    const isFirst = first.name === name && others.every((other) => other.name !== name);
    return others.length === 0 || isFirst ? [first] : [{ ...first, isRepeated: true }];
  };
  return {
    column({ column_names }) {
      const [first = '', second, ...more] = column_names;
      if (more.length > 0) return undefined;
      if (second !== undefined) {
        const relation = named(first);
        return relation && columnsNamed(relation, second)[0];
      }
      if (list.some(({ columns }) => columns === undefined)) return undefined;
      const [found, ...others] = list.flatMap((relation) => columnsNamed(relation, first));
      if (found === undefined) return wholeRow(named(first));
      if (others.length > 0 && !merged) return undefined;
      return others.reduce<ColumnFacts>(
        (one, other) => ({ ...commonFacts(one, other), notNull: false }),
        found,
      );
    },
    mayHave({ column_names: [first = '', second] }) {
      const isOpen = ({ columns }: Relation) => columns === undefined;
      const relation = second === undefined ? undefined : named(first);
      return relation === undefined ? list.some(isOpen) : isOpen(relation);
    },
    columnsOf(relation) {
      if (relation !== '') return named(relation)?.columns;
      if (merged || list.some(({ columns }) => columns === undefined)) return undefined;
      return list.flatMap(({ columns }) => columns ?? []);
    },
  };
}

function wholeRow(relation: Relation | undefined): ColumnFacts | undefined {
  if (relation?.columns === undefined || relation.columns.length === 0) return undefined;
  const { alias, columns, isOptional = false } = relation;
  return { notNull: false, declared: undefined, kind: 'other', row: { alias, columns, isOptional } };
}

/** @param lateral the facts about the columns of the relations before it, which a LATERAL query can name */
function relationsOf(ref: TableRef, known: KnownRelations, lateral?: FactsOf): Relations {
  const one = (columns: Relation['columns'], alias = ref.alias): Relations => ({
    list: [{ alias, columns }],
    merged: false,
  });
  switch (ref.type) {
    case 'EMPTY':
      return { list: [], merged: false };
    case 'BASE_TABLE': {
      if (ref.schema_name === '')
        return one(renamed(known.cte(ref.table_name), ref.column_name_alias), ref.alias || ref.table_name);
      const table = ref.schema_name === MANAGED_SCHEMA ? known.catalog(ref.table_name) : undefined;
      const columns = table?.map(({ name, nullable, declared, type }) => ({
        name,
        notNull: !nullable,
        declared,
        kind: type === undefined ? 'unknown' : kindOfType(type),
        element: type?.endsWith(']') ? kindOfType(type.replace(/\[\d*\]$/, '')) : undefined,
        type,
      }));
      return one(renamed(columns, ref.column_name_alias));
    }
    case 'SUBQUERY':
      return one(renamed(known.subquery(ref.subquery.node, lateral), ref.column_name_alias));
    case 'EXPRESSION_LIST':
      return one(renamed(valuesColumns(ref.values), ref.expected_names));
    case 'JOIN':
      return joined(ref, known, lateral);
    default:
      return one(undefined);
  }
}

/** The columns of VALUES. A text literal takes the type of the other values, and a column is `jsonb` if all of them say so. */
const valuesColumns = (rows: readonly (readonly Expression[])[]): readonly SelectedColumn[] =>
  (rows[0] ?? []).map((_, i) => {
    const values = rows.flatMap((row) => row[i] ?? []);
    const typed = values.filter((value) => valueKind(value) !== 'null' && stringLiteral(value) === undefined);
    const isJsonbColumn = typed.length > 0 && typed.every((value) => isJsonb(value, () => undefined));
    const kind =
      rows.length > MAX_ROWS
        ? 'unknown'
        : commonKind((typed.length > 0 ? typed : values).map((value) => valueKind(value)));
    const element =
      kind === 'array' ? commonKind(typed.map((value) => elementKind(value, () => undefined))) : undefined;
    const declared = isJsonbColumn ? 'jsonb' : undefined;
    const isFloatColumn =
      kind === 'float' ? typed.some((value) => isFloat(value, () => undefined)) : undefined;
    return { name: `column${i + 1}`, notNull: false, declared, kind, element, isFloat: isFloatColumn };
  });

/** The types of the values in longer lists are not compared. */
const MAX_ROWS = 1000;

/** The facts about a column whose values come from two columns. NULL and text literals take the type of the other one. */
export function commonFacts(left: ColumnFacts, right: ColumnFacts): ColumnFacts {
  const notNull = left.notNull && right.notNull;
  if (takesType(left) && right.kind !== 'null') return { ...right, notNull };
  if (takesType(right) && left.kind !== 'null') return { ...left, notNull };
  return {
    notNull,
    declared: left.declared === right.declared ? left.declared : undefined,
    kind: commonKind([left.kind, right.kind]),
    element: left.element === right.element ? left.element : undefined,
    type: left.type === right.type ? left.type : undefined,
    isFloat: left.isFloat === undefined ? right.isFloat : left.isFloat || right.isFloat,
  };
}

const takesType = ({ kind, isTextLiteral }: ColumnFacts): boolean =>
  kind === 'null' || isTextLiteral === true;

export const renamed = (
  columns: readonly SelectedColumn[] | undefined,
  names: readonly string[],
): readonly SelectedColumn[] | undefined =>
  columns?.map((column, i) => ({ ...column, name: names[i] ?? column.name }));

function joined(join: JoinRef, known: KnownRelations, lateral?: FactsOf): Relations {
  const left = relationsOf(join.left, known, lateral);
  const before = scopeOf(left);
  const right = relationsOf(join.right, known, (of) =>
    isQueryNode(of) ? undefined : (before.column(of) ?? (before.mayHave(of) ? undefined : lateral?.(of))),
  );
  const merged = left.merged || right.merged || join.using_columns.length > 0 || join.ref_type === 'NATURAL';
  const nullable = ({ list }: Relations) =>
    list.map(({ alias, columns }) => ({
      alias,
      isOptional: true,
      columns: columns?.map((column) => ({ ...column, notNull: false })),
    }));
  const isPositional = join.ref_type === 'POSITIONAL';
  switch (isPositional ? 'OUTER' : join.join_type) {
    case 'INNER':
      return { list: [...left.list, ...right.list], merged };
    case 'LEFT':
      return { list: [...left.list, ...nullable(right)], merged };
    case 'RIGHT':
      return { list: [...nullable(left), ...right.list], merged };
    case 'SEMI':
    case 'ANTI':
      return { list: left.list, merged: left.merged };
    default:
      return { list: [...nullable(left), ...nullable(right)], merged };
  }
}
