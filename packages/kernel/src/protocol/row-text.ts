/**
 * How a value becomes text. `integer`: an integer's digits. `word`: `true` or `false`; `letter`: `t` or `f`. `hex`: two digits
 * for each byte of a BLOB. The others are for VARCHAR: `text` is the text itself, `number` the text of a number without a final
 * `.0`, `tsv` has escapes for backslash, tab and newline, `csv` is in quotes if necessary, `json` is a JSON string without its
 * quotes.
 */
export type CellForm = 'integer' | 'word' | 'letter' | 'hex' | 'text' | 'number' | 'tsv' | 'csv' | 'json';

/** How the values of a column become text. */
export interface CellText {
  readonly form: CellForm;
  /** The text before the cell, also if it is NULL. */
  readonly before: string;
  readonly ifNull: string;
  /** `open` and `close` enclose a value that is not NULL. */
  readonly open: string;
  readonly close: string;
}

/** How a row becomes text: `start`, the cells, `end`. */
export interface RowText {
  readonly start: string;
  readonly cells: readonly CellText[];
  readonly end: string;
}
