import type { WorkloadColumn } from '../workload.ts';

/** The 105 columns of ClickBench in order, in lower case, so that no system needs quotes. */
const COLUMNS = `
  watchid bigint, javaenable smallint, title text, goodevent smallint, eventtime timestamp,
  eventdate date, counterid integer, clientip integer, regionid integer, userid bigint, counterclass
  smallint, os smallint, useragent smallint, url text, referer text, isrefresh smallint,
  referercategoryid smallint, refererregionid integer, urlcategoryid smallint, urlregionid integer,
  resolutionwidth smallint, resolutionheight smallint, resolutiondepth smallint, flashmajor
  smallint, flashminor smallint, flashminor2 text, netmajor smallint, netminor smallint,
  useragentmajor smallint, useragentminor text, cookieenable smallint, javascriptenable smallint,
  ismobile smallint, mobilephone smallint, mobilephonemodel text, params text, ipnetworkid integer,
  traficsourceid smallint, searchengineid smallint, searchphrase text, advengineid smallint,
  isartifical smallint, windowclientwidth smallint, windowclientheight smallint, clienttimezone
  smallint, clienteventtime timestamp, silverlightversion1 smallint, silverlightversion2 smallint,
  silverlightversion3 integer, silverlightversion4 smallint, pagecharset text, codeversion integer,
  islink smallint, isdownload smallint, isnotbounce smallint, funiqid bigint, originalurl text, hid
  integer, isoldcounter smallint, isevent smallint, isparameter smallint, dontcounthits smallint,
  withhash smallint, hitcolor text, localeventtime timestamp, age smallint, sex smallint, income
  smallint, interests smallint, robotness smallint, remoteip integer, windowname integer, openername
  integer, historylength smallint, browserlanguage text, browsercountry text, socialnetwork text,
  socialaction text, httperror smallint, sendtiming integer, dnstiming integer, connecttiming
  integer, responsestarttiming integer, responseendtiming integer, fetchtiming integer,
  socialsourcenetworkid smallint, socialsourcepage text, paramprice bigint, paramorderid text,
  paramcurrency text, paramcurrencyid smallint, openstatservicename text, openstatcampaignid text,
  openstatadid text, openstatsourceid text, utmsource text, utmmedium text, utmcampaign text,
  utmcontent text, utmterm text, fromtag text, hasgclid smallint, refererhash bigint, urlhash
  bigint, clid integer`;

export const HITS_COLUMNS: readonly WorkloadColumn[] = COLUMNS.split(',').map((text) => {
  const [name, type] = text.trim().split(/\s+/) as [string, string];
  return { name, type, nullable: false };
});
