import { type KernelSession, quoteName, quoteText } from '@tessera/kernel';
import type { KeyRange } from '@tessera/tablet';
import { passesFilterSql, setFilterSql } from '../bloom-filter.ts';
import type { KeyFilter } from '../dist-exec.ts';

let filters = 0;

/**
 * SQL conditions that filter the rows of a scan by the keys of finished stages (false positives are
 * possible). Prepares the session for them.
 */
export async function keyConditions(
  session: KernelSession,
  keyFilters: readonly KeyFilter[],
): Promise<readonly string[]> {
  const conditions: string[] = [];
  for (const { column, values, ranges, min, max, bloom } of keyFilters) {
    const name = quoteName(column);
    if (values !== undefined) {
      // The kernel casts the texts to the type of the column.
      conditions.push(values.length === 0 ? 'false' : `${name} IN (${values.map(quoteText).join(', ')})`);
      continue;
    }
    if (ranges !== undefined) {
      conditions.push(rangesSql(name, ranges));
      continue;
    }
    if (min !== undefined && max !== undefined)
      conditions.push(`${name} BETWEEN ${quoteText(min)} AND ${quoteText(max)}`);
    if (bloom === undefined) continue;
    const variable = `tessera_keys_${filters++}`;
    await session.execute(setFilterSql(variable), [bloom]);
    conditions.push(passesFilterSql(name, variable, bloom));
  }
  return conditions;
}

function rangesSql(name: string, ranges: readonly KeyRange[]): string {
  const branches = ranges.map(({ from, to }) => {
    const low = from === undefined ? [] : [`${name} >= ${quoteText(from)}`];
    const high = to === undefined ? [] : [`${name} < ${quoteText(to)}`];
    return low.length + high.length === 0 ? 'true' : `(${[...low, ...high].join(' AND ')})`;
  });
  return branches.length === 0 ? 'false' : `(${branches.join(' OR ')})`;
}
