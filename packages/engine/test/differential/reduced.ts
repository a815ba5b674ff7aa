/** Around what a generator marks as something that may be left out. */
const OPEN = '\u0002';
const CLOSE = '\u0003';

/** Marks a part of a query as one that may be left out. */
export const optional = (sql: string): string => (sql === '' ? '' : `${OPEN}${sql}${CLOSE}`);

/** The query without its marks. */
export const withoutMarks = (sql: string): string => sql.replaceAll(OPEN, '').replaceAll(CLOSE, '');

/** Leaves out one marked part after another as long as what remains still fails. */
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

/** A query that gives no row with parts left out until it gives some, if that comes about within a few tries. */
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

/** Shortest first. */
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
