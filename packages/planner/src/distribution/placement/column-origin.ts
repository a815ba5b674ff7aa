import type { JoinRelation, Relation, ScanRelation } from '../../relational/relation.ts';
import { plainReference } from '../tree/expressions.ts';

/** The table column that provides the values of a relation's column. */
export interface ScannedColumn {
  readonly scan: ScanRelation;
  readonly column: string;
}

/**
 * The scans that a column of a relation comes from, if filtering a value of the column out of the scan only
 * removes the rows with this value from the relation. Below a LIMIT, or below a window with other partitions,
 * the filter would change other rows.
 */
export function scannedColumns(relation: Relation, position: number): readonly ScannedColumn[] {
  switch (relation.kind) {
    case 'scan': {
      const column = relation.names[position];
      return column === undefined || column.startsWith('$') ? [] : [{ scan: relation, column }];
    }
    case 'filter':
    case 'sort':
      return scannedColumns(relation.input, position);
    case 'unnest':
      return position < relation.input.columns.length ? scannedColumns(relation.input, position) : [];
    case 'set':
      return relation.inputs.flatMap((input) => scannedColumns(input, position));
    case 'project': {
      const source = plainReference(relation.expressions[position]!);
      return source === undefined ? [] : scannedColumns(relation.input, source);
    }
    case 'aggregate': {
      const source = groupSource(relation, position);
      const isInEverySet = relation.groupingSets.every((set) => set.includes(position));
      return source === undefined || !isInEverySet ? [] : scannedColumns(relation.input, source);
    }
    case 'distinct': {
      const isKey = relation.on?.some((key) => plainReference(key) === position) ?? true;
      return isKey ? scannedColumns(relation.input, position) : [];
    }
    case 'window': {
      const isPartitioned = relation.windows.every(({ partitions = [] }) =>
        partitions.some((key) => plainReference(key) === position),
      );
      return isPartitioned ? scannedColumns(relation.input, position) : [];
    }
    case 'join': {
      const { side, position: below } = joinSource(relation, position);
      return side !== undefined && mayLoseRows(relation, side) ? scannedColumns(relation[side], below) : [];
    }
    default:
      return [];
  }
}

/** The scan that a column comes from, if there is exactly one (`scannedColumns`). */
export function scanOf(relation: Relation, position: number): ScannedColumn | undefined {
  const [only, ...others] = scannedColumns(relation, position);
  return others.length === 0 ? only : undefined;
}

/** A column of a stage output, as an `input` relation reads it. */
export interface InputColumn {
  readonly input: number;
  readonly position: number;
}

/**
 * A column of a stage output that contains every value of a relation's column, except NULL. The output may
 * contain further values.
 */
export function inputColumn(relation: Relation, position: number): InputColumn | undefined {
  switch (relation.kind) {
    case 'input':
      return { input: relation.id, position };
    case 'filter':
    case 'sort':
    case 'limit':
    case 'sample':
    case 'distinct':
      return inputColumn(relation.input, position);
    case 'window':
    case 'unnest':
      return position < relation.input.columns.length ? inputColumn(relation.input, position) : undefined;
    case 'project': {
      const source = plainReference(relation.expressions[position]!);
      return source === undefined ? undefined : inputColumn(relation.input, source);
    }
    case 'aggregate': {
      const source = groupSource(relation, position);
      return source === undefined ? undefined : inputColumn(relation.input, source);
    }
    case 'join': {
      const { side, position: below } = joinSource(relation, position);
      return side && inputColumn(relation[side], below);
    }
    default:
      return undefined;
  }
}

const groupSource = (
  { groups }: Relation & { readonly kind: 'aggregate' },
  position: number,
): number | undefined => {
  const group = groups[position];
  return group && plainReference(group);
};

/**
 * The join input that a column comes from and its position there; no input for the mark column of a mark
 * join.
 */
function joinSource(
  { type, left }: JoinRelation,
  position: number,
): { readonly side?: 'left' | 'right'; readonly position: number } {
  const width = left.columns.length;
  if (type === 'right_semi' || type === 'right_anti') return { side: 'right', position };
  if (position < width) return { side: 'left', position };
  return type === 'mark' ? { position } : { side: 'right', position: position - width };
}

/**
 * Whether removing rows from one side only removes their own results and does not change other rows of the
 * join.
 */
function mayLoseRows({ type, isAsof }: JoinRelation, side: 'left' | 'right'): boolean {
  switch (type) {
    case 'inner':
      // Without its nearest row, an ASOF JOIN would match another one.
      return side === 'left' || !isAsof;
    case 'left':
    case 'semi':
    case 'anti':
    case 'single':
    case 'mark':
      return side === 'left';
    case 'right':
    case 'right_semi':
    case 'right_anti':
      return side === 'right' && !isAsof;
    case 'full':
      return false;
  }
}
