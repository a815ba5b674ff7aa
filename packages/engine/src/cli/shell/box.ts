import stringWidth from 'string-width';
import type { Cell, ResultColumn, Row } from './result-messages.ts';

/** How texts are coloured; the identity without colours. */
export interface Paint {
  dim(text: string): string;
  bold(text: string): string;
}

/** No column is made narrower than this, in terminal columns, unless its content is. */
const MIN_WIDTH = 8;
const RIGHT_ALIGNED = /^(?:int|long|float|double|decimal)\b/i;

/** Arrays of numbers that are texts in JSON, because a double cannot hold all of them. */
const EXACT_NUMBERS = /^(?:array\()+(?:long|decimal)\b/i;

/** The text of a value as people read it, on one line and without control characters. */
export function shownText(value: Cell, type = ''): string {
  const json = () => JSON.stringify(value).replaceAll(EXACT_NUMBERS.test(type) ? '"' : '', '');
  const text = value === null ? 'NULL' : typeof value === 'object' ? json() : String(value);
  // A control character could move the cursor or change the terminal; a line break would break the box.
  return text
    .replaceAll(/\r\n|\r|\n/g, '↵')
    .replaceAll('\t', ' ')
    .replaceAll(/\p{Cc}/gu, '·');
}

/** The type of a column as SQL names it. */
export const typeName = (type: string): string =>
  type
    .replace(/ null$/, '')
    .replaceAll(/\b(?:long|int|double|float|Decimal)\b/g, (name) => SQL_NAMES[name] ?? name);

const SQL_NAMES: Readonly<Record<string, string>> = {
  long: 'bigint',
  int: 'integer',
  double: 'double precision',
  float: 'real',
  Decimal: 'numeric',
};

/** Draws a result as a box of at most `width` terminal columns: long values are cut, and columns in the middle are left out. */
export function boxLines(
  columns: readonly ResultColumn[],
  rows: readonly Row[],
  width: number,
  paint: Paint,
): string[] {
  const texts = rows.map((row) => row.map((value, i) => shownText(value, columns[i]!.type)));
  const natural = columns.map(({ name, type }, i) =>
    Math.max(
      stringWidth(shownText(name)),
      stringWidth(typeName(type)),
      texts.reduce((widest, row) => Math.max(widest, stringWidth(row[i]!)), 0),
    ),
  );
  const shown = fitted(natural, width);
  const line = (left: string, between: string, right: string) =>
    paint.dim(`${left}${shown.map(({ width }) => '─'.repeat(width + 2)).join(between)}${right}`);
  const cells = (of: (column: number) => string, style: (text: string, column: number) => string) => {
    const items = shown.map(({ column, width }) => {
      if (column === undefined) return '…';
      const text = cut(of(column), width);
      const space = ' '.repeat(width - stringWidth(text));
      const isRight = RIGHT_ALIGNED.test(columns[column]!.type);
      return isRight ? space + style(text, column) : style(text, column) + space;
    });
    const bar = paint.dim('│');
    return `${bar} ${items.join(` ${bar} `)} ${bar}`;
  };
  return [
    line('┌', '┬', '┐'),
    cells((i) => shownText(columns[i]!.name), paint.bold),
    cells((i) => typeName(columns[i]!.type), paint.dim),
    line('├', '┼', '┤'),
    ...texts.map((row, r) =>
      cells(
        (i) => row[i]!,
        (text, i) => (rows[r]![i] === null ? paint.dim(text) : text),
      ),
    ),
    line('└', '┴', '┘'),
  ];
}

/** A column of the box; `column` is undefined for the one that represents omitted columns. */
interface ShownColumn {
  readonly column: number | undefined;
  readonly width: number;
}

const boxWidth = (widths: readonly number[]): number => widths.reduce((sum, width) => sum + width + 3, 1);

function fitted(natural: readonly number[], width: number): readonly ShownColumn[] {
  const all = natural.map((width, column) => ({ column, width }));
  if (boxWidth(natural) <= width) return all;
  const least = natural.map((width) => Math.min(width, MIN_WIDTH));
  if (boxWidth(least) <= width) return shrunk(all, width);
  let kept: number[] = all.map(({ column }) => column);
  while (kept.length > 2 && boxWidth([...kept.map((column) => least[column]!), 1]) > width)
    kept = kept.filter((_, i) => i !== Math.floor(kept.length / 2));
  const left = Math.ceil(kept.length / 2);
  const columns = shrunk(
    kept.map((column) => all[column]!),
    Math.max(width - 4, 0),
  );
  return [...columns.slice(0, left), { column: undefined, width: 1 }, ...columns.slice(left)];
}

/** Takes width from the widest columns first. */
function shrunk(
  columns: readonly { column: number; width: number }[],
  width: number,
): readonly ShownColumn[] {
  const widths = columns.map((column) => column.width);
  let excess = boxWidth(widths) - width;
  while (excess > 0) {
    const widest = widths.indexOf(Math.max(...widths));
    if (widths[widest]! <= MIN_WIDTH) break;
    widths[widest]! -= 1;
    excess -= 1;
  }
  return columns.map(({ column }, i) => ({ column, width: widths[i]! }));
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    const segmentWidth = stringWidth(segment);
    if (used + segmentWidth > width - 1) break;
    kept += segment;
    used += segmentWidth;
  }
  return `${kept}…`;
}
