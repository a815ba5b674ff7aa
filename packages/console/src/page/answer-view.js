import { cellText, isNumeric, placeIn } from './answer.js';
import { element } from './element.js';

const SHOWN_ROWS = 1_000;

/**
 * Rows as a table, the first thousand of them.
 * @param {import('./answer.js').Column[]} columns @param {unknown[][]} rows
 */
export function tableView(columns, rows) {
  const head = element('tr', {}, element('th', { ariaLabel: 'Row' }));
  const numeric = columns.map((column) => isNumeric(column.type));
  columns.forEach(({ name, type }, i) => {
    const th = element('th', { className: numeric[i] ? 'number' : '', scope: 'col' }, name);
    th.append(element('small', {}, type));
    head.append(th);
  });
  const body = element('tbody', {});
  rows.slice(0, SHOWN_ROWS).forEach((row, number) => {
    const tr = element('tr', {}, element('th', { scope: 'row' }, String(number + 1)));
    row.forEach((value, i) => {
      const className = value === null ? 'null' : numeric[i] ? 'number' : '';
      const text = cellText(value);
      tr.append(element('td', { className, title: text.length > 60 ? text.slice(0, 2_000) : '' }, text));
    });
    body.append(tr);
  });
  const view = document.createDocumentFragment();
  if (rows.length > SHOWN_ROWS)
    view.append(
      element('p', { className: 'note' }, `The first ${SHOWN_ROWS.toLocaleString('en')} rows are shown.`),
    );
  view.append(element('table', {}, element('thead', {}, head), body));
  return view;
}

/**
 * An error with the line it points at; the place is marked and, on a click, selected in the editor.
 * @param {import('./answer.js').Failure} failure @param {string} sql the statement that failed
 * @param {(start: number, end: number) => void} select
 */
export function failureView(failure, sql, select) {
  const view = element('div', { className: 'error', role: 'alert' }, element('p', {}, failure.description));
  const place = failure.location && placeIn(sql, failure.location);
  if (place) {
    const { line, lineStart, start, end } = place;
    const mark = element('mark', {}, line.slice(start - lineStart, end - lineStart) || ' ');
    const excerpt = element('pre', {}, line.slice(0, start - lineStart), mark, line.slice(end - lineStart));
    const show = element(
      'button',
      { type: 'button', onclick: () => select(start, end) },
      'Show in the statement',
    );
    view.append(excerpt, element('p', {}, show));
  }
  if (failure.resolution) view.append(element('p', {}, failure.resolution));
  view.append(element('small', {}, [failure.name, failure.code].filter(Boolean).join(' · ')));
  return view;
}
