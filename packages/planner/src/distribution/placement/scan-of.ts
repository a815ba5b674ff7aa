import type { Relation, ScanRelation } from '../../relational/relation.ts';
import { plainReference } from '../tree/expressions.ts';

/** The scan that the values of a column come from, when rows that it leaves out are just not there. */
export function scanOf(
  relation: Relation,
  position: number,
): { readonly scan: ScanRelation; readonly column: string } | undefined {
  switch (relation.kind) {
    case 'scan': {
      const column = relation.names[position];
      return column === undefined || column.startsWith('$') ? undefined : { scan: relation, column };
    }
    case 'filter':
      return scanOf(relation.input, position);
    case 'project': {
      const expression = relation.expressions[position];
      const source = expression === undefined ? undefined : plainReference(expression);
      return source === undefined ? undefined : scanOf(relation.input, source);
    }
    case 'join': {
      const width = relation.left.columns.length;
      switch (relation.type) {
        case 'inner':
          return position < width
            ? scanOf(relation.left, position)
            : scanOf(relation.right, position - width);
        case 'left':
        case 'semi':
        case 'anti':
        case 'single':
        case 'mark':
          return position < width ? scanOf(relation.left, position) : undefined;
        default:
          return undefined;
      }
    }
    default:
      return undefined;
  }
}
