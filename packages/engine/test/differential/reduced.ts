/** The marks that a generator puts around a part that may be dropped. */
const OPEN = '\u0002';
const CLOSE = '\u0003';

/** Marks a part of a query as one that may be left out. */
export const optional = (sql: string): string => (sql === '' ? '' : `${OPEN}${sql}${CLOSE}`);

/** The query without its marks. */
export const withoutMarks = (sql: string): string => sql.replaceAll(OPEN, '').replaceAll(CLOSE, '');

/** Drops marked parts one after the other as long as the rest still fails. */
export async function reduced(sql: string, fails: (sql: string) => Promise<boolean>): Promise<string> {
  let current = sql;
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const candidate of withOnePartLess(current)) {
      if (!(await fails(withoutMarks(candidate)))) continue;
      current = candidate;
      isSmaller = true;
      break;
    }
  }
  return withoutMarks(current);
}

/** If a query returns no row, drops parts until it returns some, within a few attempts. */
export async function relaxed(sql: string, givesRows: (sql: string) => Promise<boolean>): Promise<string> {
  let current = sql;
  for (let tries = 0; tries < 4; tries++) {
    if (await givesRows(withoutMarks(current))) return current;
    const less = withOnePartLess(current).at(0);
    if (less === undefined) return sql;
    current = less;
  }
  return (await givesRows(withoutMarks(current))) ? current : sql;
}

/** The variants with one part dropped, shortest first. */
function withOnePartLess(sql: string): string[] {
  const found: string[] = [];
  for (let from = sql.indexOf(OPEN); from >= 0; from = sql.indexOf(OPEN, from + 1)) {
    let depth = 0;
    for (let at = from; at < sql.length; at++) {
      if (sql[at] === OPEN) depth++;
      if (sql[at] === CLOSE) depth--;
      if (depth > 0) continue;
      found.push(sql.slice(0, from) + sql.slice(at + 1));
      break;
    }
  }
  return found.sort((a, b) => a.length - b.length);
}
