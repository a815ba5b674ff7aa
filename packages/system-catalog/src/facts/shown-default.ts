/**
 * The default of a column as PostgreSQL writes it: `nextval('t_id_seq')` of a serial column becomes
 * `nextval('t_id_seq'::regclass)`, by which clients recognise such columns.
 */
export const shownDefault = (sql: string): string =>
  sql.replace(/^nextval\(('(?:[^']|'')*')\)$/, 'nextval($1::regclass)');
