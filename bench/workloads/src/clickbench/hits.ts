import { Random } from '../generate/random.ts';
import type { OpenSource, TableSource, Value } from '../generate/source.ts';
import { Weighted } from '../generate/weighted.ts';
import { HITS_COLUMNS } from './columns.ts';
import { type Page, Pages } from './page.ts';
import { type Referer, Referers } from './referer.ts';
import { type Visitor, visitorAt } from './visitor.ts';

const ROWS_AT_SCALE_1 = 1_000_000;
const GROUP_ROWS = 30_000;
const SALT = 0x31;

const MICROSECONDS = 1_000_000;
const SECONDS_OF_DAY = 86_400;
const JULY_2013 = Date.UTC(2013, 6, 1) / 1000;
const DAYS = 31;
/** The relative number of hits by hour of the day, in Moscow. */
const HOURS = [20, 13, 9, 7, 6, 8, 13, 22, 34, 44, 50, 53, 54, 54, 54, 53, 52, 51, 51, 52, 54, 53, 46, 33];
/** Saturdays and Sundays have three quarters of the hits. The 1st was a Monday. */
const HOURS_OF_MONTH = new Weighted(
  Float64Array.from({ length: DAYS * 24 }, (_, hour) => {
    const weekend = Math.floor(hour / 24) % 7 >= 5;
    return HOURS[hour % 24]! * (weekend ? 0.75 : 1);
  }),
);

/** Values that are the same in all hits. */
const SAME = {
  goodevent: 1,
  netmajor: 0,
  netminor: 0,
  cookieenable: 1,
  javascriptenable: 1,
  params: '',
  isartifical: 0,
  silverlightversion4: 0,
  isoldcounter: 0,
  isevent: 0,
  isparameter: 0,
  socialnetwork: '',
  socialaction: '',
  httperror: 0,
  socialsourcepage: '',
  paramprice: 0,
  paramorderid: '',
  paramcurrency: 'NH\u001c',
  paramcurrencyid: 0,
  openstatservicename: '',
  openstatcampaignid: '',
  openstatadid: '',
  openstatsourceid: '',
  utmcontent: '',
  utmterm: '',
  fromtag: '',
  clid: 0,
};

/** The table in the order of time, like the log of a web analytics service. */
export const openSource: OpenSource = (_, scale): TableSource => {
  const rows = Math.max(1, Math.round(scale * ROWS_AT_SCALE_1));
  const users = Math.max(200, Math.ceil(rows / 6));
  const pages = new Pages(rows);
  const referers = new Referers(pages, rows);
  const random = new Random();
  return {
    units: rows,
    unitsPerGroup: GROUP_ROWS,
    columns: HITS_COLUMNS,
    rows: (unit, emit) => {
      random.sow(SALT, unit);
      const hour = HOURS_OF_MONTH.at((unit + 0.5) / rows);
      const time = JULY_2013 + hour * 3600 + random.integer(0, 3599);
      const skew = random.fraction();
      const visitor = visitorAt(Math.floor(users * skew * skew));
      const page = pages.pick(random);
      const hit = hitOf(unit, time, visitor, page, referers.pick(page, random), random);
      emit(HITS_COLUMNS.map(({ name }) => hit[name]!));
    },
  };
};

function hitOf(
  unit: number,
  time: number,
  visitor: Visitor,
  page: Page,
  referer: Referer,
  random: Random,
): Readonly<Record<string, Value>> {
  const [width, height] = visitor.resolution;
  const [phone, model] = visitor.phone;
  const watch = random.int64();
  const advertised = referer.advEngine !== 0;
  const windowed = width > 400 && random.chance(0.93);
  return {
    ...SAME,
    watchid: (watch & ~0xffffffffn) | BigInt(unit % 0x1_0000_0000),
    javaenable: random.chance(0.8) ? 1 : 0,
    title: page.title,
    eventtime: time * MICROSECONDS,
    eventdate: Math.floor(time / SECONDS_OF_DAY),
    counterid: page.counter,
    clientip: random.chance(0.9) ? visitor.clientIp : random.uint32() | 0,
    regionid: visitor.region,
    userid: visitor.id,
    counterclass: page.counterClass,
    os: visitor.os,
    useragent: visitor.userAgent,
    url: page.url,
    referer: referer.url,
    isrefresh: random.chance(0.12) ? 1 : 0,
    referercategoryid: referer.category,
    refererregionid: referer.region,
    urlcategoryid: page.category,
    urlregionid: page.region,
    resolutionwidth: width,
    resolutionheight: height,
    resolutiondepth: width === 0 ? 0 : random.chance(0.9) ? 23 : 37,
    flashmajor: visitor.flash,
    flashminor: visitor.flash === 0 ? 0 : random.integer(0, 9),
    flashminor2: visitor.flash === 0 ? '' : '700.224',
    useragentmajor: visitor.userAgentMajor,
    useragentminor:
      visitor.userAgentMajor < 10 ? 'D' : String.fromCharCode(65 + (visitor.userAgentMajor % 26)),
    ismobile: phone === 0 ? 0 : 1,
    mobilephone: phone,
    mobilephonemodel: model,
    ipnetworkid: Math.abs(visitor.clientIp % 4_000_000),
    traficsourceid: referer.source,
    searchengineid: referer.searchEngine,
    searchphrase: referer.searchPhrase,
    advengineid: referer.advEngine,
    windowclientwidth: windowed ? width - random.integer(0, 340) : width,
    windowclientheight: windowed ? Math.max(0, height - random.integer(60, 420)) : height,
    clienttimezone: visitor.timeZoneMinutes,
    ...clientTimes(time, visitor, random),
    ...silverlight(visitor),
    pagecharset: page.charset,
    codeversion: random.of([1, 33, 291, 1601, 1600]),
    islink: random.chance(0.09) ? 1 : 0,
    isdownload: random.chance(0.002) ? 1 : 0,
    isnotbounce: random.chance(0.03) ? 1 : 0,
    funiqid: random.chance(0.35) ? 0n : random.int64(),
    originalurl: random.chance(0.9) ? '' : page.url,
    hid: random.integer(0, 1_073_741_823),
    dontcounthits: random.chance(0.09) ? 1 : 0,
    withhash: random.chance(0.03) ? 1 : 0,
    hitcolor: random.chance(0.75) ? '5' : random.of(['E', 'F', 'g', 'D', 'P']),
    age: visitor.age,
    sex: visitor.sex,
    income: visitor.income,
    interests: visitor.interests,
    robotness: random.chance(0.97) ? 0 : random.integer(1, 30),
    remoteip: random.chance(0.85) ? visitor.clientIp : random.uint32() | 0,
    windowname: random.chance(0.6) ? -1 : random.integer(0, 4000),
    openername: random.chance(0.9) ? -1 : random.integer(0, 4000),
    historylength: random.chance(0.4) ? -1 : random.integer(1, 50),
    browserlanguage: visitor.language,
    browsercountry: visitor.country,
    sendtiming: timing(random, 4000),
    dnstiming: timing(random, 200),
    connecttiming: timing(random, 300),
    responsestarttiming: timing(random, 1500),
    responseendtiming: timing(random, 2500),
    fetchtiming: timing(random, 9000),
    socialsourcenetworkid: random.chance(0.98) ? 0 : random.integer(1, 8),
    ...campaignSource(advertised, random),
    utmcampaign: advertised ? `campaign-${random.integer(1, 400)}` : '',
    hasgclid: page.url.includes('gclid') ? 1 : 0,
    refererhash: referer.hash,
    urlhash: page.urlHash,
  };
}

function clientTimes(time: number, { timeZoneMinutes }: Visitor, random: Random) {
  const skew = random.chance(0.9) ? random.integer(-30, 30) : random.integer(-40_000, 40_000);
  return {
    clienteventtime: (time + skew) * MICROSECONDS,
    localeventtime: (time + skew + timeZoneMinutes * 60) * MICROSECONDS,
  };
}

function silverlight({ silverlight }: Visitor) {
  const installed = silverlight !== 0;
  return {
    silverlightversion1: silverlight,
    silverlightversion2: installed ? 1 : 0,
    silverlightversion3: installed ? 20_513 : 0,
  };
}

function campaignSource(advertised: boolean, random: Random) {
  const utmsource = advertised || random.chance(0.02) ? random.of(['yandex', 'google', 'direct', 'vk']) : '';
  return { utmsource, utmmedium: utmsource === '' ? '' : 'cpc' };
}

/** A duration in milliseconds; absent in half of the hits, short in most others. */
function timing(random: Random, most: number): number {
  const draw = random.fraction() * 2 - 1;
  return draw < 0 ? 0 : Math.floor(most * draw * draw * draw);
}
