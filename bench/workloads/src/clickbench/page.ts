import { mix32, Random } from '../generate/random.ts';
import { Weighted } from '../generate/weighted.ts';
import { hostName, phrase } from './words.ts';

/** A page of one site, with the columns that its address determines. */
export interface Page {
  readonly counter: number;
  readonly counterClass: number;
  readonly url: string;
  readonly urlHash: bigint;
  readonly title: string;
  readonly category: number;
  readonly region: number;
  readonly charset: string;
}

/** The counter that seven of the queries filter by, and its page that one of them filters by. */
const ASKED_COUNTER = 62;
const ASKED_URL_HASH = 2868770270353813622n;

const COUNTERS = 6500;
const ASKED_SITE = 2;
/** From 1 M rows on, the first two exceed the queries' bound of 100,000 hits. */
const SITES = new Weighted(
  Float64Array.from({ length: COUNTERS }, (_, site) => [22, 13, 7, 4, 3][site] ?? 8.5 / (site + 10)),
);
const TOP_COUNTERS = [3922, 199550, ASKED_COUNTER, 105857, 46429];
/** The page's share of the site's hits: one query needs its 10,000th window size. */
const ASKED_PAGE_SHARE = 0.35;
const DOMAINS = ['ru', 'ru', 'ru', 'ru', 'com', 'com', 'com.tr', 'com.ua', 'net', 'рф'];
const SECTIONS = [
  'news',
  'catalog',
  'forum/topic',
  'user',
  'search',
  'kategoria',
  'photo',
  'film',
  'index.php',
];

export class Pages {
  readonly #pages: number;
  readonly #random = new Random();

  /** @param rows of the whole table: more hits need more pages */
  constructor(rows: number) {
    this.#pages = Math.ceil(rows / 20);
  }

  pick(random: Random): Page {
    const site = SITES.pick(random);
    const asked = site === ASKED_SITE && random.chance(ASKED_PAGE_SHARE);
    const draw = random.fraction();
    const skew = draw * draw;
    const pages = 40 + this.#pages / (site + 1);
    return this.#at(site, asked ? 0 : Math.floor(pages * skew * skew));
  }

  #at(site: number, place: number): Page {
    const number = site * 1_000_003 + place;
    const own = this.#random.sow(0x21, number);
    const host = `${hostName(site)}.${DOMAINS[mix32(site) % DOMAINS.length]}`;
    const counter = TOP_COUNTERS[site] ?? 100 + (mix32(site) % 230_000);
    const google = own.chance(0.003);
    const googleTitle = own.chance(0.004);
    const region = own.chance(0.7) ? 0 : own.integer(1, 300);
    const hash = own.int64();
    const words = own.integer(3, 9);
    return {
      counter,
      counterClass: own.chance(0.9) ? 0 : -1,
      url: address(host, place, google, own),
      urlHash: site === ASKED_SITE && place === 0 ? ASKED_URL_HASH : hash,
      title: own.chance(0.13) ? '' : `${phrase(number, words)}${googleTitle ? ' - Google' : ''} — ${host}`,
      category: own.chance(0.7) ? 0 : own.integer(1, 16_000),
      region,
      charset: own.chance(0.85) ? 'utf-8' : 'windows-1251;charset',
    };
  }
}

function address(host: string, place: number, google: boolean, own: Random): string {
  const scheme = own.chance(0.06) ? 'https' : 'http';
  if (place === 0) return `${scheme}://${host}/`;
  const section = `${own.of(SECTIONS)}/${hostName(own.uint32())}-${hostName(own.uint32())}`;
  const path = own.chance(0.5)
    ? `${section}/${place}.html`
    : `${section}/?id=${place}&page=${own.integer(1, 40)}&sort=${own.of(['price', 'date', 'name'])}`;
  const from = google ? '&from=google&gclid=CJ' : '';
  return `${scheme}://${host}/${path}${from === '' ? '' : `${path.includes('?') ? '' : '?'}${from}${place}`}`;
}
