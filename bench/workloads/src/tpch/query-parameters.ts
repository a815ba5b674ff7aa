import { COLORS, CONTAINERS, MODES, NATIONS, REGIONS, SEGMENTS, TYPES } from './distributions.ts';
import type { RandomStream } from './random-stream.ts';

/** The values for the `{name}` placeholders of a query. */
export type QueryParameters = Readonly<Record<string, string>>;

const METALS = ['TIN', 'NICKEL', 'BRASS', 'STEEL', 'COPPER'];
const NATION_NAMES = NATIONS.map(([name]) => name);
const COMMENT_WORDS = [
  ['special', 'pending', 'unusual', 'express'],
  ['packages', 'requests', 'accounts', 'deposits'],
] as const;
/** The number of decimal places of the fraction in query 11. */
const FRACTION_DIGITS = 10;

/**
 * Draws substitution parameters by the rules of clause 2.4, but not the same random numbers as the
 * specification's qgen.
 */
export class ParameterDraw {
  readonly #random: RandomStream;
  readonly #scale: number;

  constructor(random: RandomStream, scale: number) {
    this.#random = random;
    this.#scale = scale;
  }

  /** @param query from 1 to 22 */
  parameters(query: number): QueryParameters {
    return this.#rules[query - 1]!();
  }

  readonly #rules: readonly (() => QueryParameters)[] = [
    () => ({ date: dateAfter([1998, 12, 1], -this.#integer(60, 120)) }),
    () => ({ size: this.#text(1, 50), metal: this.#of(METALS), region: this.#of(REGIONS) }),
    () => ({ segment: this.#of(SEGMENTS), date: dateAfter([1995, 3, 1], this.#integer(0, 30)) }),
    () => this.#months([1993, 1], 58, 3),
    () => ({ region: this.#of(REGIONS), ...this.#year() }),
    () => {
      const hundredths = this.#integer(2, 9);
      return {
        ...this.#year(),
        least: ((hundredths - 1) / 100).toFixed(2),
        greatest: ((hundredths + 1) / 100).toFixed(2),
        quantity: this.#text(24, 25),
      };
    },
    () => {
      const [nation1, nation2] = this.#several(2, NATION_NAMES) as [string, string];
      return { nation1, nation2 };
    },
    () => {
      const [nation, region] = this.#of(NATIONS);
      return { nation, region: REGIONS[region]!, type: this.#of(TYPES) };
    },
    () => ({ color: this.#of(COLORS) }),
    () => this.#months([1993, 2], 24, 3),
    () => ({ nation: this.#of(NATION_NAMES), fraction: (0.0001 / this.#scale).toFixed(FRACTION_DIGITS) }),
    () => {
      const [mode1, mode2] = this.#several(2, MODES) as [string, string];
      return { mode1, mode2, ...this.#year() };
    },
    () => ({ word1: this.#of(COMMENT_WORDS[0]), word2: this.#of(COMMENT_WORDS[1]) }),
    () => this.#months([1993, 1], 60, 1),
    () => this.#months([1993, 1], 58, 3),
    () => ({
      brand: this.#brand(),
      type: this.#of(TYPES).split(' ').slice(0, 2).join(' '),
      sizes: this.#several(
        8,
        Array.from({ length: 50 }, (_, i) => i + 1),
      ).join(', '),
    }),
    () => ({ brand: this.#brand(), container: this.#of(CONTAINERS) }),
    () => ({ quantity: this.#text(312, 315) }),
    () => ({
      brand1: this.#brand(),
      brand2: this.#brand(),
      brand3: this.#brand(),
      quantity1: this.#text(1, 10),
      quantity2: this.#text(10, 20),
      quantity3: this.#text(20, 30),
    }),
    () => ({ color: this.#of(COLORS), ...this.#year(), nation: this.#of(NATION_NAMES) }),
    () => ({ nation: this.#of(NATION_NAMES) }),
    () => {
      const codes = this.#several(7, [...NATIONS.keys()]);
      return { codes: codes.map((nation) => `'${nation + 10}'`).join(', ') };
    },
  ];

  #integer(least: number, greatest: number): number {
    return this.#random.integer(least, greatest);
  }

  #text(least: number, greatest: number): string {
    return String(this.#integer(least, greatest));
  }

  #of<Item>(items: readonly Item[]): Item {
    return items[this.#integer(0, items.length - 1)]!;
  }

  /** Draws distinct values. */
  #several<Item>(count: number, items: readonly Item[]): Item[] {
    const left = [...items];
    return Array.from({ length: count }, () => left.splice(this.#integer(0, left.length - 1), 1)[0]!);
  }

  #brand(): string {
    return `Brand#${this.#integer(1, 5)}${this.#integer(1, 5)}`;
  }

  /** A year from 1993 to 1997. */
  #year(): { from: string; to: string } {
    const year = this.#integer(1993, 1997);
    return { from: `${year}-01-01`, to: `${year + 1}-01-01` };
  }

  /** A period of `length` months. Its first month is one of `choices` consecutive months from the given one on. */
  #months([year, month]: readonly [number, number], choices: number, length: number): QueryParameters {
    const start = month + this.#integer(0, choices - 1);
    return { from: isoDate([year, start, 1]), to: isoDate([year, start + length, 1]) };
  }
}

type YearMonthDay = readonly [year: number, month: number, day: number];

const dateAfter = ([year, month, day]: YearMonthDay, days: number): string =>
  isoDate([year, month, day + days]);

/** Carries months beyond December and days beyond the end of a month into the next year or month. */
const isoDate = ([year, month, day]: YearMonthDay): string =>
  new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10);
