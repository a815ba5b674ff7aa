// biome-ignore-all lint/a11y/useSemanticElements: a table cannot render only its visible rows and columns
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus, and aria-activedescendant names the cell
import { type Signal, useComputed, useSignal } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import { cellText, isNumeric, type RowsAnswer } from '../engine/answer.ts';
import { copy } from '../state/notice.ts';
import { rowsText } from '../units.ts';
import { CellInspector } from './cell-inspector.tsx';
import { type Cell, cellAt, GridRow, ROW_HEIGHT } from './grid-row.tsx';
import { rowOrder, type Sorting } from './row-order.ts';
import { evenAxis, type ShownItem, scrolledTo, unevenAxis, useVisible } from './virtual.ts';

const HEAD_HEIGHT = 42;
const CHARACTER_WIDTH = 7.6;

/** Rows as a grid that renders only what is visible, so that size costs nothing. */
export function Grid({ answer, filter }: { readonly answer: RowsAnswer; readonly filter: string }) {
  const { columns, rows } = answer;
  const scroller = useRef<HTMLDivElement>(null);
  const sorting = useSignal<Sorting | undefined>(undefined);
  const inspected = useSignal(false);
  const types = useMemo(() => columns.map((column) => column.type), [columns]);
  const widths = useMemo(() => columnWidths(answer), [answer]);
  const order = useMemo(
    () => rowOrder(rows, types, filter, sorting.value),
    [rows, types, filter, sorting.value],
  );
  const numberWidth = 24 + String(rows.length).length * CHARACTER_WIDTH;
  const vertical = useMemo(
    () => evenAxis(order.length, ROW_HEIGHT, { overscan: 3, before: HEAD_HEIGHT }),
    [order.length],
  );
  const across = useMemo(
    () => unevenAxis(widths, { overscan: 1, before: numberWidth }),
    [widths, numberWidth],
  );
  const visible = useVisible(scroller, vertical, across);
  const width = numberWidth + across.startOf(across.count);
  const { active, selected, moveTo, moveToCell, selectAll } = useSelection(
    { rows: order.length, columns: columns.length },
    ({ row, column }) => {
      const { scrollTop, scrollLeft, clientHeight, clientWidth } = scroller.current!;
      scroller.current!.scrollTo(
        scrolledTo(across, column, scrollLeft, clientWidth),
        scrolledTo(vertical, row, scrollTop, clientHeight),
      );
    },
  );
  const valueAt = ({ row, column }: Cell): unknown => rows[order[row] ?? 0]?.[column];

  function onKeyDown(event: KeyboardEvent) {
    const page = Math.max(1, Math.floor((scroller.current!.clientHeight - HEAD_HEIGHT) / ROW_HEIGHT) - 1);
    const far = event.ctrlKey || event.metaKey;
    const size = { rows: order.length, columns: columns.length, page };
    const cell = cellByKey(event.key, far, active.value, size);
    if (cell) moveTo(cell, event.shiftKey);
    else if (event.key === 'Enter' || event.key === ' ') inspected.value = true;
    else if (event.key === 'Escape' && inspected.value) inspected.value = false;
    else if (far && event.key === 'a') selectAll();
    else if (far && event.key === 'c') copyCells(answer, order, selected.value);
    else return;
    event.preventDefault();
  }

  const { top, bottom, left, right } = selected.value;
  return (
    <div class="grid-and-cell">
      <div
        class="grid"
        role="grid"
        aria-label="Rows of the result"
        aria-rowcount={order.length + 1}
        aria-colcount={columns.length}
        aria-activedescendant={
          order.length > 0 ? `cell-${active.value.row}-${active.value.column}` : undefined
        }
        aria-multiselectable="true"
        tabIndex={0}
        ref={scroller}
        onKeyDown={onKeyDown}
      >
        <GridHead
          columns={columns}
          items={visible.columns}
          numberWidth={numberWidth}
          width={width}
          sorting={sorting}
        />
        <div
          class="grid-body"
          role="rowgroup"
          style={{ height: px(vertical.startOf(vertical.count)), width: px(width) }}
          onMouseDown={(event) => moveToCell(event, event.shiftKey)}
          onMouseMove={(event) => event.buttons === 1 && moveToCell(event, true)}
          onDblClick={(event) => (inspected.value ||= cellAt(event) !== undefined)}
        >
          <RowNumbers rows={visible.rows} order={order} width={numberWidth} />
          {visible.rows.map(({ index: row, slot }) => {
            const isSelected = row >= top && row <= bottom;
            return (
              <GridRow
                key={slot}
                row={row}
                values={rows[order[row]!]!}
                types={types}
                columns={visible.columns}
                numberWidth={numberWidth}
                left={isSelected ? left : 0}
                right={isSelected ? right : -1}
                active={row === active.value.row ? active.value.column : -1}
              />
            );
          })}
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

/** The active cell, and the range of cells from it to the one at which the selection began. */
function useSelection(size: Pick<GridSize, 'rows' | 'columns'>, scrollTo: (cell: Cell) => void) {
  const active = useSignal<Cell>({ row: 0, column: 0 });
  const anchor = useSignal<Cell>({ row: 0, column: 0 });
  const selected = useComputed(() => rangeOf(active.value, anchor.value));

  function moveTo({ row, column }: Cell, extend: boolean) {
    const cell = {
      row: Math.max(0, Math.min(row, size.rows - 1)),
      column: Math.max(0, Math.min(column, size.columns - 1)),
    };
    active.value = cell;
    if (!extend) anchor.value = cell;
    scrollTo(cell);
  }

  function moveToCell(event: Event, extend: boolean) {
    const cell = cellAt(event);
    if (cell === undefined) return;
    const { row, column } = active.value;
    if (extend && cell.row === row && cell.column === column) return;
    moveTo(cell, extend);
  }

  function selectAll() {
    anchor.value = { row: 0, column: 0 };
    active.value = { row: size.rows - 1, column: size.columns - 1 };
  }

  return { active, selected, moveTo, moveToCell, selectAll };
}

interface RowNumbersProps {
  readonly rows: readonly ShownItem[];
  readonly order: ArrayLike<number>;
  readonly width: number;
}

/** The positions of the rows in the result. They are one element that stays in sight, because the browser makes a layer of each. */
const RowNumbers = ({ rows, order, width }: RowNumbersProps) => (
  <div class="grid-numbers" aria-hidden="true" style={{ width: px(width) }}>
    {rows.map(({ index, start, slot }) => (
      <span key={slot} style={{ top: px(start), height: px(ROW_HEIGHT) }}>
        {order[index]! + 1}
      </span>
    ))}
  </div>
);

interface GridHeadProps {
  readonly columns: RowsAnswer['columns'];
  /** The columns that are visible. */
  readonly items: readonly ShownItem[];
  readonly numberWidth: number;
  readonly width: number;
  readonly sorting: Signal<Sorting | undefined>;
}

/** The names and types of the visible columns; a click sorts by a column. */
function GridHead({ columns, items, numberWidth, width, sorting }: GridHeadProps) {
  function sortBy(column: number) {
    const now = sorting.value?.column === column ? sorting.value : undefined;
    sorting.value = now?.descending ? undefined : { column, descending: now !== undefined };
  }
  return (
    <div class="grid-head" role="row" aria-rowindex={1} style={{ width: px(width), height: px(HEAD_HEIGHT) }}>
      <span class="grid-corner" style={{ width: px(numberWidth) }} />
      {items.map(({ index, start, size, slot }) => {
        const { name, type } = columns[index]!;
        const sorted = sorting.value?.column === index ? sorting.value : undefined;
        return (
          <span
            key={slot}
            class={`grid-cell ${isNumeric(type) ? 'number' : ''}`}
            role="columnheader"
            aria-colindex={index + 1}
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
  );
}

interface GridSize {
  readonly rows: number;
  readonly columns: number;
  /** The number of rows that are visible at once. */
  readonly page: number;
}

/** The cell that a key leads to, which may lie outside of the grid; undefined for other keys. */
function cellByKey(key: string, far: boolean, { row, column }: Cell, size: GridSize): Cell | undefined {
  const [lastRow, lastColumn] = [size.rows - 1, size.columns - 1];
  switch (key) {
    case 'ArrowUp':
      return { row: far ? 0 : row - 1, column };
    case 'ArrowDown':
      return { row: far ? lastRow : row + 1, column };
    case 'ArrowLeft':
      return { row, column: far ? 0 : column - 1 };
    case 'ArrowRight':
      return { row, column: far ? lastColumn : column + 1 };
    case 'PageUp':
      return { row: row - size.page, column };
    case 'PageDown':
      return { row: row + size.page, column };
    case 'Home':
      return { row: far ? 0 : row, column: 0 };
    case 'End':
      return { row: far ? lastRow : row, column: lastColumn };
    default:
      return undefined;
  }
}

/** Copies cells as tab-separated text. */
function copyCells(
  { columns, rows }: RowsAnswer,
  order: ArrayLike<number>,
  { top, bottom, left, right }: ReturnType<typeof rangeOf>,
): void {
  const lines: string[] = [];
  for (let row = top; row <= bottom; row++) {
    const values = rows[order[row]!]!.slice(left, right + 1);
    const texts = values.map((value, at) =>
      value === null ? '' : cellText(value, columns[left + at]!.type),
    );
    lines.push(texts.join('\t'));
  }
  const [copied, width] = [bottom - top + 1, right - left + 1];
  const columnsText = `${width} ${width === 1 ? 'column' : 'columns'}`;
  copy(lines.join('\n'), copied * width === 1 ? 'the cell' : `${rowsText(copied)} of ${columnsText}`);
}

const px = (length: number): string => `${length}px`;

const rangeOf = (a: Cell, b: Cell) => ({
  top: Math.min(a.row, b.row),
  bottom: Math.max(a.row, b.row),
  left: Math.min(a.column, b.column),
  right: Math.max(a.column, b.column),
});

/** Widths in pixels that fit the names, the types and the first rows. */
function columnWidths({ columns, rows }: RowsAnswer): number[] {
  const sample = rows.slice(0, 100);
  return columns.map(({ name, type }, at) => {
    const longest = sample.reduce(
      (most, row) => Math.max(most, Math.min(cellText(row[at], type).length, 60)),
      0,
    );
    const characters = Math.max(longest, name.length + 2, type.length);
    return Math.round(Math.min(Math.max(characters * CHARACTER_WIDTH + 26, 64), 420));
  });
}
