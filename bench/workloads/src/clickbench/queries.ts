import type { WorkloadQuery } from '../workload.ts';

/** Counter 62 in July: the common filter of the reports about one site. */
const SITE = 'counterid = 62';
const JULY = `eventdate >= DATE '2013-07-01' AND eventdate <= DATE '2013-07-31'`;
const REPORT = `FROM hits WHERE ${SITE} AND ${JULY}`;
/** Ninety sums over expressions of one column. */
const WIDTH_SUMS = Array.from({ length: 90 }, (_, more) =>
  more === 0 ? 'SUM(resolutionwidth)' : `SUM(resolutionwidth + ${more})`,
).join(', ');
const REFERER_HOST = String.raw`REGEXP_REPLACE(referer, '^https?://(?:www\.)?([^/]+)/.*$', '\1')`;
/** Backslashes in string literals are doubled in ClickHouse. */
const REFERER_HOST_CLICKHOUSE = REFERER_HOST.replaceAll('\\', '\\\\');

const lengths = (length: string, host: string) => ({
  byCounter: `SELECT counterid, AVG(${length}(url)) AS l, COUNT(*) AS c FROM hits WHERE url <> '' GROUP BY counterid HAVING COUNT(*) > 100000 ORDER BY l DESC LIMIT 25`,
  byHost: `SELECT ${host} AS k, AVG(${length}(referer)) AS l, COUNT(*) AS c, MIN(referer) FROM hits WHERE referer <> '' GROUP BY k HAVING COUNT(*) > 100000 ORDER BY l DESC LIMIT 25`,
});
const STANDARD = lengths('LENGTH', REFERER_HOST);
/** In ClickHouse, LENGTH counts bytes. */
const CLICKHOUSE = lengths('lengthUTF8', REFERER_HOST_CLICKHOUSE);

const SQL: readonly (string | { readonly sql: string; readonly clickhouse: string })[] = [
  'SELECT COUNT(*) FROM hits',
  'SELECT COUNT(*) FROM hits WHERE advengineid <> 0',
  'SELECT SUM(advengineid), COUNT(*), AVG(resolutionwidth) FROM hits',
  // In ClickHouse, the sum of large integers overflows.
  { sql: 'SELECT AVG(userid) FROM hits', clickhouse: 'SELECT AVG(toFloat64(userid)) FROM hits' },
  'SELECT COUNT(DISTINCT userid) FROM hits',
  'SELECT COUNT(DISTINCT searchphrase) FROM hits',
  'SELECT MIN(eventdate), MAX(eventdate) FROM hits',
  'SELECT advengineid, COUNT(*) FROM hits WHERE advengineid <> 0 GROUP BY advengineid ORDER BY COUNT(*) DESC',
  'SELECT regionid, COUNT(DISTINCT userid) AS u FROM hits GROUP BY regionid ORDER BY u DESC LIMIT 10',
  'SELECT regionid, SUM(advengineid), COUNT(*) AS c, AVG(resolutionwidth), COUNT(DISTINCT userid) FROM hits GROUP BY regionid ORDER BY c DESC LIMIT 10',
  `SELECT mobilephonemodel, COUNT(DISTINCT userid) AS u FROM hits WHERE mobilephonemodel <> '' GROUP BY mobilephonemodel ORDER BY u DESC LIMIT 10`,
  `SELECT mobilephone, mobilephonemodel, COUNT(DISTINCT userid) AS u FROM hits WHERE mobilephonemodel <> '' GROUP BY mobilephone, mobilephonemodel ORDER BY u DESC LIMIT 10`,
  `SELECT searchphrase, COUNT(*) AS c FROM hits WHERE searchphrase <> '' GROUP BY searchphrase ORDER BY c DESC LIMIT 10`,
  `SELECT searchphrase, COUNT(DISTINCT userid) AS u FROM hits WHERE searchphrase <> '' GROUP BY searchphrase ORDER BY u DESC LIMIT 10`,
  `SELECT searchengineid, searchphrase, COUNT(*) AS c FROM hits WHERE searchphrase <> '' GROUP BY searchengineid, searchphrase ORDER BY c DESC LIMIT 10`,
  'SELECT userid, COUNT(*) FROM hits GROUP BY userid ORDER BY COUNT(*) DESC LIMIT 10',
  'SELECT userid, searchphrase, COUNT(*) FROM hits GROUP BY userid, searchphrase ORDER BY COUNT(*) DESC LIMIT 10',
  'SELECT userid, searchphrase, COUNT(*) FROM hits GROUP BY userid, searchphrase LIMIT 10',
  'SELECT userid, EXTRACT(MINUTE FROM eventtime) AS m, searchphrase, COUNT(*) FROM hits GROUP BY userid, m, searchphrase ORDER BY COUNT(*) DESC LIMIT 10',
  'SELECT userid FROM hits WHERE userid = 435090932899640449',
  `SELECT COUNT(*) FROM hits WHERE url LIKE '%google%'`,
  `SELECT searchphrase, MIN(url), COUNT(*) AS c FROM hits WHERE url LIKE '%google%' AND searchphrase <> '' GROUP BY searchphrase ORDER BY c DESC LIMIT 10`,
  `SELECT searchphrase, MIN(url), MIN(title), COUNT(*) AS c, COUNT(DISTINCT userid) FROM hits WHERE title LIKE '%Google%' AND url NOT LIKE '%.google.%' AND searchphrase <> '' GROUP BY searchphrase ORDER BY c DESC LIMIT 10`,
  `SELECT * FROM hits WHERE url LIKE '%google%' ORDER BY eventtime LIMIT 10`,
  `SELECT searchphrase FROM hits WHERE searchphrase <> '' ORDER BY eventtime LIMIT 10`,
  `SELECT searchphrase FROM hits WHERE searchphrase <> '' ORDER BY searchphrase LIMIT 10`,
  `SELECT searchphrase FROM hits WHERE searchphrase <> '' ORDER BY eventtime, searchphrase LIMIT 10`,
  { sql: STANDARD.byCounter, clickhouse: CLICKHOUSE.byCounter },
  { sql: STANDARD.byHost, clickhouse: CLICKHOUSE.byHost },
  `SELECT ${WIDTH_SUMS} FROM hits`,
  `SELECT searchengineid, clientip, COUNT(*) AS c, SUM(isrefresh), AVG(resolutionwidth) FROM hits WHERE searchphrase <> '' GROUP BY searchengineid, clientip ORDER BY c DESC LIMIT 10`,
  `SELECT watchid, clientip, COUNT(*) AS c, SUM(isrefresh), AVG(resolutionwidth) FROM hits WHERE searchphrase <> '' GROUP BY watchid, clientip ORDER BY c DESC LIMIT 10`,
  'SELECT watchid, clientip, COUNT(*) AS c, SUM(isrefresh), AVG(resolutionwidth) FROM hits GROUP BY watchid, clientip ORDER BY c DESC LIMIT 10',
  'SELECT url, COUNT(*) AS c FROM hits GROUP BY url ORDER BY c DESC LIMIT 10',
  'SELECT 1, url, COUNT(*) AS c FROM hits GROUP BY 1, url ORDER BY c DESC LIMIT 10',
  'SELECT clientip, clientip - 1, clientip - 2, clientip - 3, COUNT(*) AS c FROM hits GROUP BY clientip, clientip - 1, clientip - 2, clientip - 3 ORDER BY c DESC LIMIT 10',
  `SELECT url, COUNT(*) AS pageviews ${REPORT} AND dontcounthits = 0 AND isrefresh = 0 AND url <> '' GROUP BY url ORDER BY pageviews DESC LIMIT 10`,
  `SELECT title, COUNT(*) AS pageviews ${REPORT} AND dontcounthits = 0 AND isrefresh = 0 AND title <> '' GROUP BY title ORDER BY pageviews DESC LIMIT 10`,
  `SELECT url, COUNT(*) AS pageviews ${REPORT} AND isrefresh = 0 AND islink <> 0 AND isdownload = 0 GROUP BY url ORDER BY pageviews DESC LIMIT 10 OFFSET 1000`,
  `SELECT traficsourceid, searchengineid, advengineid, CASE WHEN (searchengineid = 0 AND advengineid = 0) THEN referer ELSE '' END AS src, url AS dst, COUNT(*) AS pageviews ${REPORT} AND isrefresh = 0 GROUP BY traficsourceid, searchengineid, advengineid, src, dst ORDER BY pageviews DESC LIMIT 10 OFFSET 1000`,
  `SELECT urlhash, eventdate, COUNT(*) AS pageviews ${REPORT} AND isrefresh = 0 AND traficsourceid IN (-1, 6) AND refererhash = 3594120000172545465 GROUP BY urlhash, eventdate ORDER BY pageviews DESC LIMIT 10 OFFSET 100`,
  `SELECT windowclientwidth, windowclientheight, COUNT(*) AS pageviews ${REPORT} AND isrefresh = 0 AND dontcounthits = 0 AND urlhash = 2868770270353813622 GROUP BY windowclientwidth, windowclientheight ORDER BY pageviews DESC LIMIT 10 OFFSET 10000`,
  `SELECT DATE_TRUNC('minute', eventtime) AS m, COUNT(*) AS pageviews FROM hits WHERE ${SITE} AND eventdate >= DATE '2013-07-14' AND eventdate <= DATE '2013-07-15' AND isrefresh = 0 AND dontcounthits = 0 GROUP BY DATE_TRUNC('minute', eventtime) ORDER BY DATE_TRUNC('minute', eventtime) LIMIT 10 OFFSET 1000`,
];

/** The 43 queries in order, `q01` first. */
export const CLICKBENCH_QUERIES: readonly WorkloadQuery[] = SQL.map((query, place) => {
  const name = `q${String(place + 1).padStart(2, '0')}`;
  if (typeof query === 'string') return { name, sql: query };
  return { name, sql: query.sql, dialects: { clickhouse: query.clickhouse } };
});
