import { Random } from '../generate/random.ts';
import { WeightedItems } from '../generate/weighted.ts';

/** The values that are the same in all hits of one user. */
export interface Visitor {
  readonly id: bigint;
  readonly clientIp: number;
  readonly region: number;
  readonly os: number;
  readonly userAgent: number;
  readonly userAgentMajor: number;
  readonly resolution: readonly [width: number, height: number];
  readonly phone: readonly [id: number, model: string];
  readonly timeZoneMinutes: number;
  readonly flash: number;
  readonly silverlight: number;
  readonly age: number;
  readonly sex: number;
  readonly income: number;
  readonly interests: number;
  readonly language: string;
  readonly country: string;
}

const SALT = 0x11;
/** The user of ClickBench's point query. */
const SOUGHT_USER = 435090932899640449n;
/** The rank of that user, who is not the heaviest: some hundreds of hits in 100 M. */
const SOUGHT_PLACE = 150;

const RESOLUTIONS = new WeightedItems<readonly [number, number]>([
  [[1366, 768], 24],
  [[1920, 1080], 16],
  [[1280, 1024], 14],
  [[1024, 768], 9],
  [[1280, 800], 8],
  [[1440, 900], 7],
  [[1600, 900], 6],
  [[1680, 1050], 6],
  [[1368, 554], 2],
  [[1990, 1100], 1],
  [[768, 1024], 1],
  [[0, 0], 1],
]);
const PHONE_RESOLUTIONS: readonly (readonly [number, number])[] = [
  [320, 480],
  [480, 800],
  [768, 1024],
  [720, 1280],
  [240, 320],
];
const NO_PHONE = [0, ''] as const;
const PHONES = new WeightedItems<readonly [number, string]>([
  [[1, 'iPad'], 38],
  [[5, 'iPhone'], 14],
  [[6, 'A500'], 7],
  [[6, 'N8-00'], 5],
  [[26, 'iPhone 2'], 4],
  [[10, 'GT-I9500'], 4],
  [[7, 'ONE TOUCH 6030A'], 3],
  [[13, 'GT-P7300B'], 3],
  [[6, '3110000'], 2],
  [[8, 'GT-N8000'], 2],
  [[12, 'eagle75'], 2],
  [[32, 'Desire S'], 2],
  [[44, 'Lumia 920'], 2],
  [[118, 'LG-P765'], 1],
  [[36, 'HTC One X'], 1],
  [[14, 'Nexus 7'], 1],
]);
const REGIONS = new WeightedItems<number>([
  [229, 17],
  [2, 7],
  [208, 3],
  [1, 2],
  [34, 2],
  [184, 2],
  [42, 1],
  [107, 1],
  [51, 1],
  ...Array.from({ length: 900 }, (_, place) => [1000 + place * 13, 40 / (place + 12)] as const),
]);
const SYSTEMS = new WeightedItems([
  [2, 46],
  [3, 24],
  [44, 10],
  [16, 5],
  [0, 5],
  [156, 4],
  [14, 3],
  [7, 2],
  [42, 1],
]);
const AGENTS = new WeightedItems<readonly [agent: number, version: number]>([
  [[3, 28], 26],
  [[2, 22], 20],
  [[82, 28], 16],
  [[5, 12], 12],
  [[7, 10], 9],
  [[4, 7], 7],
  [[76, 4], 5],
  [[1, 6], 3],
  [[44, 7], 2],
]);
const LANGUAGES: readonly (readonly [string, string])[] = [
  ['S0', 'h1'],
  ['S0', 'h1'],
  ['S0', 'h1'],
  ['S0', '\nQ'],
  ['nA', 'Q9'],
  ['tr', 'k3'],
];

const random = new Random();

/** @param place the rank; 0 is the user with the most hits */
export function visitorAt(place: number): Visitor {
  random.sow(SALT, place);
  const id = random.int64();
  const mobile = random.chance(0.055);
  const region = REGIONS.pick(random);
  const [userAgent, userAgentMajor] = AGENTS.pick(random);
  const [language, country] = random.of(LANGUAGES);
  return {
    id: place === SOUGHT_PLACE ? SOUGHT_USER : id,
    clientIp: random.uint32() | 0,
    region,
    os: SYSTEMS.pick(random),
    userAgent,
    userAgentMajor,
    resolution: mobile ? random.of(PHONE_RESOLUTIONS) : RESOLUTIONS.pick(random),
    phone: mobile ? PHONES.pick(random) : NO_PHONE,
    timeZoneMinutes: random.chance(0.8) ? 240 : random.integer(-10, 14) * 60,
    flash: random.chance(0.12) ? 0 : random.integer(9, 11),
    silverlight: random.chance(0.3) ? 5 : 0,
    age: random.chance(0.6) ? 0 : random.of([16, 22, 31, 39, 50, 55]),
    sex: random.chance(0.6) ? 0 : random.integer(1, 2),
    income: random.chance(0.6) ? 0 : random.integer(1, 3),
    interests: random.chance(0.5) ? 0 : random.integer(1, 32000),
    language,
    country,
  };
}
