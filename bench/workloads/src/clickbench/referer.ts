import { mix32, type Random } from '../generate/random.ts';
import type { Page, Pages } from './page.ts';
import { phrase } from './words.ts';

/** The page that a hit comes from. */
export interface Referer {
  readonly url: string;
  readonly hash: bigint;
  readonly category: number;
  readonly region: number;
  /** -1: inside the site, 0: direct, 1: a link, 2: a search engine, 3: an advertisement, 6: stored page. */
  readonly source: number;
  readonly searchEngine: number;
  readonly searchPhrase: string;
  readonly advEngine: number;
}

/** The referer that one of the queries filters by: the site's own front page. */
const ASKED_HASH = 3594120000172545465n;
const DIRECT = { category: 0, region: 0, searchEngine: 0, searchPhrase: '', advEngine: 0 } as const;
const ENGINES = [2, 2, 2, 2, 2, 3, 3, 3, 4, 13, 28, 45];
const ADVERTISERS = [2, 2, 2, 2, 2, 2, 27, 27, 13, 45, 44, 3, 62, 52, 50, 28, 53, 25];

export class Referers {
  readonly #pages: Pages;
  readonly #phrases: number;

  /** @param rows of the whole table: more hits need more phrases */
  constructor(pages: Pages, rows: number) {
    this.#pages = pages;
    this.#phrases = Math.max(200, Math.ceil(rows / 15));
  }

  pick(page: Page, random: Random): Referer {
    const kind = random.fraction();
    if (kind < 0.19) return { ...DIRECT, url: '', hash: 0n, source: 0 };
    if (kind < 0.32) return this.#search(random);
    if (kind < 0.3265) return this.#advertisement(random);
    if (kind < 0.58) return this.#inside(page, random);
    const from = this.#pages.pick(random);
    return {
      ...DIRECT,
      url: from.url,
      hash: from.urlHash,
      category: from.category,
      region: from.region,
      source: from.counter === page.counter ? -1 : 1,
    };
  }

  #search(random: Random): Referer {
    const skew = random.fraction();
    const number = Math.floor(this.#phrases * skew * skew * skew);
    const words = 1 + (mix32(number) % 5);
    const searchEngine = random.of(ENGINES);
    const text = phrase(number, words);
    const host = searchEngine === 3 ? 'www.google.ru' : 'yandex.ru';
    const url = `http://${host}/${searchEngine === 3 ? 'search?q' : 'yandsearch?text'}=${encodeURIComponent(text)}&lr=${random.integer(1, 230)}`;
    return {
      ...DIRECT,
      url,
      hash: random.int64(),
      source: 2,
      searchEngine,
      searchPhrase: text,
    };
  }

  #advertisement(random: Random): Referer {
    const advEngine = random.of(ADVERTISERS);
    const url = `http://an.yandex.ru/count/${random.integer(1, 5000)}`;
    return { ...DIRECT, url, hash: random.int64(), source: 3, advEngine };
  }

  /** A referer from the same site: in a third of the cases its front page. */
  #inside(page: Page, random: Random): Referer {
    const root = page.url.indexOf('/', 8);
    if (random.chance(0.33))
      return {
        ...DIRECT,
        url: page.url.slice(0, root + 1),
        hash: page.counter === 62 ? ASKED_HASH : BigInt(mix32(page.counter)) << 20n,
        source: random.chance(0.8) ? -1 : 6,
      };
    const number = random.integer(1, 2000);
    return {
      ...DIRECT,
      url: `${page.url.slice(0, root)}/catalog/${number}.html`,
      hash: (BigInt(mix32(page.counter)) << 20n) + BigInt(number),
      source: -1,
    };
  }
}
