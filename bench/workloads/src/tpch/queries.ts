import type { WorkloadQuery } from '../workload.ts';
import type { QueryParameters } from './query-parameters.ts';
import { QUERY_TEXTS } from './query-texts.ts';

/**
 * The query with an outer join, and the setting with which ClickHouse returns NULL instead of zero for missing
 * rows.
 */
const OUTER_JOIN = 13;
const OUTER_NULLS = 'SETTINGS join_use_nulls = 1';

/** The parameters of query validation at scale 1 (clause 2.4, "values for query validation"). */
const VALIDATION_PARAMETERS: readonly QueryParameters[] = [
  { date: '1998-09-02' },
  { size: '15', metal: 'BRASS', region: 'EUROPE' },
  { segment: 'BUILDING', date: '1995-03-15' },
  { from: '1993-07-01', to: '1993-10-01' },
  { region: 'ASIA', from: '1994-01-01', to: '1995-01-01' },
  { from: '1994-01-01', to: '1995-01-01', least: '0.05', greatest: '0.07', quantity: '24' },
  { nation1: 'FRANCE', nation2: 'GERMANY' },
  { nation: 'BRAZIL', region: 'AMERICA', type: 'ECONOMY ANODIZED STEEL' },
  { color: 'green' },
  { from: '1993-10-01', to: '1994-01-01' },
  { nation: 'GERMANY', fraction: '0.0001000000' },
  { mode1: 'MAIL', mode2: 'SHIP', from: '1994-01-01', to: '1995-01-01' },
  { word1: 'special', word2: 'requests' },
  { from: '1995-09-01', to: '1995-10-01' },
  { from: '1996-01-01', to: '1996-04-01' },
  { brand: 'Brand#45', type: 'MEDIUM POLISHED', sizes: '49, 14, 23, 45, 19, 3, 36, 9' },
  { brand: 'Brand#23', container: 'MED BOX' },
  { quantity: '300' },
  {
    brand1: 'Brand#12',
    brand2: 'Brand#23',
    brand3: 'Brand#34',
    quantity3: '20',
    quantity2: '10',
    quantity1: '1',
  },
  { color: 'forest', from: '1994-01-01', to: '1995-01-01', nation: 'CANADA' },
  { nation: 'SAUDI ARABIA' },
  { codes: "'13', '31', '23', '29', '30', '18', '17'" },
];

/** The 22 queries with the substitution parameters whose answers the specification gives. */
export const TPCH_QUERIES: readonly WorkloadQuery[] = VALIDATION_PARAMETERS.map((parameters, i) =>
  tpchQuery(i + 1, parameters),
);

/** @param number from 1 to 22 */
export function tpchQuery(number: number, parameters: QueryParameters): WorkloadQuery {
  const sql = QUERY_TEXTS[number - 1]!.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = parameters[name];
    if (value === undefined) throw new Error(`query ${number} of TPC-H has no value for ${name}`);
    return value;
  });
  const name = `q${String(number).padStart(2, '0')}`;
  return number === OUTER_JOIN
    ? { name, sql, dialects: { clickhouse: `${sql}\n${OUTER_NULLS}` } }
    : { name, sql };
}
