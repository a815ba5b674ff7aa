import type { SourceColumn } from '../generate/source.ts';
import type { WorkloadColumn } from '../workload.ts';

/** A column of `hits`: its type in standard SQL and, where no generator is needed, the expression that gives it. */
type HitsColumn = readonly [name: string, type: string, expression?: string];

const EVENT_TIME = 'make_timestamp(eventtime::bigint * 1000000)';

/** The 105 columns of ClickBench in their order, all in lower case, so that no system needs quotes. */
const HITS: readonly HitsColumn[] = [
  ['watchid', 'bigint'],
  ['javaenable', 'smallint'],
  ['title', 'text'],
  ['goodevent', 'smallint', '1'],
  ['eventtime', 'timestamp', EVENT_TIME],
  ['eventdate', 'date', `CAST(${EVENT_TIME} AS DATE)`],
  ['counterid', 'integer'],
  ['clientip', 'integer'],
  ['regionid', 'integer'],
  ['userid', 'bigint'],
  ['counterclass', 'smallint'],
  ['os', 'smallint'],
  ['useragent', 'smallint'],
  ['url', 'text'],
  ['referer', 'text'],
  ['isrefresh', 'smallint'],
  ['referercategoryid', 'smallint'],
  ['refererregionid', 'integer'],
  ['urlcategoryid', 'smallint'],
  ['urlregionid', 'integer'],
  ['resolutionwidth', 'smallint'],
  ['resolutionheight', 'smallint'],
  ['resolutiondepth', 'smallint'],
  ['flashmajor', 'smallint'],
  ['flashminor', 'smallint'],
  ['flashminor2', 'text', "CASE WHEN flashmajor = 0 THEN '' ELSE '700.224' END"],
  ['netmajor', 'smallint', '0'],
  ['netminor', 'smallint', '0'],
  ['useragentmajor', 'smallint'],
  ['useragentminor', 'text', "CASE WHEN useragentmajor < 10 THEN 'D' ELSE chr(65 + useragentmajor % 26) END"],
  ['cookieenable', 'smallint', '1'],
  ['javascriptenable', 'smallint', '1'],
  ['ismobile', 'smallint'],
  ['mobilephone', 'smallint'],
  ['mobilephonemodel', 'text'],
  ['params', 'text', "''"],
  ['ipnetworkid', 'integer'],
  ['traficsourceid', 'smallint'],
  ['searchengineid', 'smallint'],
  ['searchphrase', 'text'],
  ['advengineid', 'smallint'],
  ['isartifical', 'smallint', '0'],
  ['windowclientwidth', 'smallint'],
  ['windowclientheight', 'smallint'],
  ['clienttimezone', 'smallint'],
  ['clienteventtime', 'timestamp', `${EVENT_TIME} + to_seconds(clockskew)`],
  ['silverlightversion1', 'smallint', 'silverlight'],
  ['silverlightversion2', 'smallint', 'CASE WHEN silverlight = 5 THEN 1 ELSE 0 END'],
  ['silverlightversion3', 'integer', 'CASE WHEN silverlight = 5 THEN 20513 ELSE 0 END'],
  ['silverlightversion4', 'smallint', '0'],
  ['pagecharset', 'text'],
  ['codeversion', 'integer'],
  ['islink', 'smallint'],
  ['isdownload', 'smallint'],
  ['isnotbounce', 'smallint'],
  ['funiqid', 'bigint'],
  ['originalurl', 'text'],
  ['hid', 'integer'],
  ['isoldcounter', 'smallint', '0'],
  ['isevent', 'smallint', '0'],
  ['isparameter', 'smallint', '0'],
  ['dontcounthits', 'smallint'],
  ['withhash', 'smallint'],
  ['hitcolor', 'text'],
  ['localeventtime', 'timestamp', `${EVENT_TIME} + to_seconds(clockskew + clienttimezone * 60)`],
  ['age', 'smallint'],
  ['sex', 'smallint'],
  ['income', 'smallint'],
  ['interests', 'smallint'],
  ['robotness', 'smallint'],
  ['remoteip', 'integer'],
  ['windowname', 'integer'],
  ['openername', 'integer'],
  ['historylength', 'smallint'],
  ['browserlanguage', 'text'],
  ['browsercountry', 'text'],
  ['socialnetwork', 'text', "''"],
  ['socialaction', 'text', "''"],
  ['httperror', 'smallint', '0'],
  ['sendtiming', 'integer'],
  ['dnstiming', 'integer'],
  ['connecttiming', 'integer'],
  ['responsestarttiming', 'integer'],
  ['responseendtiming', 'integer'],
  ['fetchtiming', 'integer'],
  ['socialsourcenetworkid', 'smallint'],
  ['socialsourcepage', 'text', "''"],
  ['paramprice', 'bigint', '0'],
  ['paramorderid', 'text', "''"],
  ['paramcurrency', 'text', "'NH\u001c'"],
  ['paramcurrencyid', 'smallint', '0'],
  ['openstatservicename', 'text', "''"],
  ['openstatcampaignid', 'text', "''"],
  ['openstatadid', 'text', "''"],
  ['openstatsourceid', 'text', "''"],
  ['utmsource', 'text'],
  ['utmmedium', 'text', "CASE WHEN utmsource = '' THEN '' ELSE 'cpc' END"],
  ['utmcampaign', 'text'],
  ['utmcontent', 'text', "''"],
  ['utmterm', 'text', "''"],
  ['fromtag', 'text', "''"],
  ['hasgclid', 'smallint'],
  ['refererhash', 'bigint'],
  ['urlhash', 'bigint'],
  ['clid', 'integer', '0'],
];

export const HITS_COLUMNS: readonly WorkloadColumn[] = HITS.map(([name, type]) => ({
  name,
  type,
  nullable: false,
}));

/** What no column of the table is: what others are made of. */
const HIDDEN: readonly HitsColumn[] = [
  ['clockskew', 'integer'],
  ['silverlight', 'smallint'],
];

/** What the generator gives, in this order. */
export const HITS_SOURCE_COLUMNS: readonly SourceColumn[] = [...HITS, ...HIDDEN]
  .filter(([name, , expression]) => expression === undefined || name === 'eventtime')
  .map(([name, type]) => ({ name, type: sourceType(type) }));

export const HITS_SELECT = HITS.map(
  ([name, type, expression]) =>
    `CAST(${expression ?? name} AS ${type === 'text' ? 'VARCHAR' : type}) AS ${name}`,
).join(', ');

function sourceType(type: string): SourceColumn['type'] {
  if (type === 'bigint') return 'BIGINT';
  return type === 'text' ? 'VARCHAR' : 'INTEGER';
}
