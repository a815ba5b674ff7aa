// biome-ignore-all lint/a11y/useSemanticElements: a table cannot render only its visible rows and columns
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus, and aria-activedescendant names the cell
import { Component } from 'preact';
import { cellText, isNumeric } from '../engine/answer.ts';
import type { ShownItem } from './virtual.ts';

/** The height of a row, in pixels. */
export const ROW_HEIGHT = 26;
/** Longer texts are cut; the inspector shows them whole. */
const SHOWN_CHARACTERS = 400;

interface GridRowProps {
  /** The position among the rows that are shown, from 0. */
  readonly row: number;
  readonly values: readonly unknown[];
  readonly types: readonly string[];
  /** The columns to render. */
  readonly columns: readonly ShownItem[];
  readonly numberWidth: number;
  /** The selected columns; from 0 to -1 if the row is not selected. */
  readonly left: number;
  readonly right: number;
  /** The column of the active cell; -1 if that is in another row. */
  readonly active: number;
}

/** A row of the grid. It is rendered again only if one of its properties has changed, so that scrolling costs only the new rows. */
export class GridRow extends Component<GridRowProps> {
  override shouldComponentUpdate(next: GridRowProps): boolean {
    return (Object.keys(next) as (keyof GridRowProps)[]).some((name) => next[name] !== this.props[name]);
  }

  override render() {
    const { row, values, types, columns, numberWidth, left, right, active } = this.props;
    return (
      <div
        class={`grid-row ${row % 2 === 1 ? 'odd' : ''}`}
        role="row"
        aria-rowindex={row + 2}
        style={{ top: `${row * ROW_HEIGHT}px`, height: `${ROW_HEIGHT}px` }}
      >
        {columns.map(({ index: column, start, size, slot }) => {
          const value = values[column];
          const isSelected = column >= left && column <= right;
          return (
            <span
              key={slot}
              id={`cell-${row}-${column}`}
              class={cellClass(value, types[column]!, isSelected, column === active)}
              role="gridcell"
              aria-colindex={column + 1}
              aria-selected={isSelected}
              style={{ left: `${numberWidth + start}px`, width: `${size}px` }}
            >
              {cellText(value, types[column]).slice(0, SHOWN_CHARACTERS)}
            </span>
          );
        })}
      </div>
    );
  }
}

function cellClass(value: unknown, type: string, selected: boolean, active: boolean): string {
  const kind = `${value === null ? ' null' : ''}${isNumeric(type) ? ' number' : ''}`;
  return `grid-cell${kind}${selected ? ' selected' : ''}${active ? ' active' : ''}`;
}

/** Row and column of a cell, as numbers of what is shown. */
export interface Cell {
  readonly row: number;
  readonly column: number;
}

/** The cell at the place of a mouse event; undefined outside of all cells. */
export function cellAt({ target }: Event): Cell | undefined {
  const cell = target instanceof Element ? target.closest('[role=gridcell]') : null;
  const [, row, column] = /^cell-(\d+)-(\d+)$/.exec(cell?.id ?? '') ?? [];
  return row === undefined ? undefined : { row: Number(row), column: Number(column) };
}
