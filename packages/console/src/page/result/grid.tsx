// biome-ignore-all lint/a11y/useSemanticElements: a table cannot render only its visible rows and columns
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus, and aria-activedescendant names the cell
import { useComputed, useSignal } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import { cellText, isNumeric, type RowsAnswer } from '../engine/answer.ts';
import { copy } from '../state/notice.ts';
import { rowsText } from '../units.ts';
import { CellInspector } from './cell-inspector.tsx';
import { rowOrder, type Sorting } from './row-order.ts';
import { useVirtualAxis } from './virtual.ts';

const ROW_HEIGHT = 26;
const HEAD_HEIGHT = 42;
const CHARACTER_WIDTH = 7.6;

/** Row and column of a cell, as numbers of what is shown. */
interface Cell {
  readonly row: number;
  readonly column: number;
}

/** Rows as a grid that renders only what is visible, so that size costs nothing. */
export function Grid({ answer, filter }: { readonly answer: RowsAnswer; readonly filter: string }) {
  const { columns, rows } = answer;
  const scroller = useRef<HTMLDivElement>(null);
  const sorting = useSignal<Sorting | undefined>(undefined);
  const active = useSignal<Cell>({ row: 0, column: 0 });
  const anchor = useSignal<Cell>({ row: 0, column: 0 });
  const inspected = useSignal(false);
  const types = useMemo(() => columns.map((column) => column.type), [columns]);
  const widths = useMemo(() => columnWidths(answer), [answer]);
  const order = useMemo(
    () => rowOrder(rows, types, filter, sorting.value),
    [rows, types, filter, sorting.value],
  );
  const numberWidth = 24 + String(rows.length).length * CHARACTER_WIDTH;
  const vertical = useVirtualAxis(scroller, order.length, () => ROW_HEIGHT, {
    horizontal: false,
    overscan: 8,
    before: HEAD_HEIGHT,
  });
  const across = useVirtualAxis(scroller, columns.length, (at) => widths[at]!, {
    horizontal: true,
    overscan: 2,
    before: numberWidth,
  });
  const selected = useComputed(() => rangeOf(active.value, anchor.value));
  const valueAt = ({ row, column }: Cell): unknown => rows[order[row] ?? 0]?.[column];

  function moveTo(row: number, column: number, extend: boolean) {
    const cell = {
      row: Math.max(0, Math.min(row, order.length - 1)),
      column: Math.max(0, Math.min(column, columns.length - 1)),
    };
    active.value = cell;
    if (!extend) anchor.value = cell;
    vertical.scrollTo(cell.row);
    across.scrollTo(cell.column);
  }

  function onKeyDown(event: KeyboardEvent) {
    const { row, column } = active.value;
    const page = Math.max(1, Math.floor((scroller.current!.clientHeight - HEAD_HEIGHT) / ROW_HEIGHT) - 1);
    const far = event.ctrlKey || event.metaKey;
    const moves: Record<string, readonly [number, number]> = {
      ArrowUp: [far ? 0 : row - 1, column],
      ArrowDown: [far ? order.length - 1 : row + 1, column],
      ArrowLeft: [row, far ? 0 : column - 1],
      ArrowRight: [row, far ? columns.length - 1 : column + 1],
      PageUp: [row - page, column],
      PageDown: [row + page, column],
      Home: [far ? 0 : row, 0],
      End: [far ? order.length - 1 : row, columns.length - 1],
    };
    const move = moves[event.key];
    if (move) moveTo(...move, event.shiftKey);
    else if (event.key === 'Enter' || event.key === ' ') inspected.value = true;
    else if (event.key === 'Escape' && inspected.value) inspected.value = false;
    else if (far && event.key === 'a') {
      anchor.value = { row: 0, column: 0 };
      active.value = { row: order.length - 1, column: columns.length - 1 };
    } else if (far && event.key === 'c') copySelected();
    else return;
    event.preventDefault();
  }

  function copySelected() {
    const { top, bottom, left, right } = selected.value;
    const lines: string[] = [];
    for (let row = top; row <= bottom; row++) {
      const values = rows[order[row]!]!.slice(left, right + 1);
      lines.push(values.map((value) => (value === null ? '' : cellText(value))).join('\t'));
    }
    const cells = (bottom - top + 1) * (right - left + 1);
    copy(
      lines.join('\n'),
      cells === 1 ? 'the cell' : `${rowsText(bottom - top + 1)} of ${right - left + 1} columns`,
    );
  }

  function sortBy(column: number) {
    const now = sorting.value?.column === column ? sorting.value : undefined;
    sorting.value = now?.descending ? undefined : { column, descending: now !== undefined };
  }

  const { top, bottom, left, right } = selected.value;
  return (
    <div class="grid-and-cell">
      <div
        class="grid"
        role="grid"
        aria-label="Rows of the result"
        aria-rowcount={order.length + 1}
        aria-colcount={columns.length + 1}
        aria-activedescendant={
          order.length > 0 ? `cell-${active.value.row}-${active.value.column}` : undefined
        }
        aria-multiselectable="true"
        tabIndex={0}
        ref={scroller}
        onKeyDown={onKeyDown}
      >
        <div
          class="grid-head"
          role="row"
          aria-rowindex={1}
          style={{ width: px(numberWidth + across.size), height: px(HEAD_HEIGHT) }}
        >
          <span
            class="grid-number"
            role="columnheader"
            aria-colindex={1}
            aria-label="Row number"
            style={{ width: px(numberWidth) }}
          />
          {across.items.map(({ index, start, size }) => {
            const { name, type } = columns[index]!;
            const sorted = sorting.value?.column === index ? sorting.value : undefined;
            return (
              <span
                key={index}
                class={`grid-cell ${isNumeric(type) ? 'number' : ''}`}
                role="columnheader"
                aria-colindex={index + 2}
                aria-sort={sorted ? (sorted.descending ? 'descending' : 'ascending') : 'none'}
                style={{ left: px(numberWidth + start), width: px(size) }}
              >
                <button type="button" title={`Sort by ${name}`} onClick={() => sortBy(index)}>
                  <b>{name}</b>
                  {sorted && <i aria-hidden="true">{sorted.descending ? '↓' : '↑'}</i>}
                  <small>{type.replace(/ null$/, '')}</small>
                </button>
              </span>
            );
          })}
        </div>
        <div
          class="grid-body"
          role="rowgroup"
          style={{ height: px(vertical.size), width: px(numberWidth + across.size) }}
        >
          {vertical.items.map(({ index: row, start: y }) => (
            <div
              key={row}
              class={`grid-row ${row % 2 === 1 ? 'odd' : ''}`}
              role="row"
              aria-rowindex={row + 2}
              style={{ transform: `translateY(${y}px)`, height: px(ROW_HEIGHT) }}
            >
              <span class="grid-number" role="rowheader" aria-colindex={1} style={{ width: px(numberWidth) }}>
                {order[row]! + 1}
              </span>
              {across.items.map(({ index: column, start, size }) => {
                const value = valueAt({ row, column });
                const isSelected = row >= top && row <= bottom && column >= left && column <= right;
                const isActive = row === active.value.row && column === active.value.column;
                return (
                  <span
                    key={column}
                    id={`cell-${row}-${column}`}
                    class={cellClass(value, types[column]!, isSelected, isActive)}
                    role="gridcell"
                    aria-colindex={column + 2}
                    aria-selected={isSelected}
                    style={{ left: px(numberWidth + start), width: px(size) }}
                    onMouseDown={(event) => moveTo(row, column, event.shiftKey)}
                    onMouseEnter={(event) => event.buttons === 1 && moveTo(row, column, true)}
                    onDblClick={() => (inspected.value = true)}
                  >
                    {cellText(value).slice(0, 400)}
                  </span>
                );
              })}
            </div>
          ))}
        </div>
        {order.length === 0 && <p class="note">No row contains “{filter}”.</p>}
      </div>
      {inspected.value && order.length > 0 && (
        <CellInspector
          column={columns[active.value.column]!}
          row={order[active.value.row]! + 1}
          value={valueAt(active.value)}
          onClose={() => {
            inspected.value = false;
            scroller.current?.focus();
          }}
        />
      )}
    </div>
  );
}

const px = (length: number): string => `${length}px`;

const rangeOf = (a: Cell, b: Cell) => ({
  top: Math.min(a.row, b.row),
  bottom: Math.max(a.row, b.row),
  left: Math.min(a.column, b.column),
  right: Math.max(a.column, b.column),
});

function cellClass(value: unknown, type: string, selected: boolean, active: boolean): string {
  const kind = value === null ? 'null' : isNumeric(type) ? 'number' : '';
  return `grid-cell ${kind}${selected ? ' selected' : ''}${active ? ' active' : ''}`;
}

/** Widths in pixels that fit the names, the types and the first rows. */
function columnWidths({ columns, rows }: RowsAnswer): number[] {
  const sample = rows.slice(0, 100);
  return columns.map(({ name, type }, at) => {
    const longest = sample.reduce((most, row) => Math.max(most, Math.min(cellText(row[at]).length, 60)), 0);
    const characters = Math.max(longest, name.length + 2, type.length);
    return Math.round(Math.min(Math.max(characters * CHARACTER_WIDTH + 26, 64), 420));
  });
}
