import { mix32, type Random } from '../generate/random.ts';
import type { Value } from '../generate/source.ts';
import { WeightedItems } from '../generate/weighted.ts';

const words = (text: string): readonly string[] => text.trim().split(/\s*,\s*/);

/** Name, number of addresses, offset from Greenwich in hours, and the prefix of its ZIP codes. */
type State = readonly [name: string, weight: number, gmtOffset: number, zip: number];
const STATES: readonly State[] = [
  ['TX', 36, -6, 7],
  ['GA', 26, -5, 3],
  ['VA', 22, -5, 2],
  ['KY', 21, -5, 4],
  ['KS', 20, -6, 6],
  ['MO', 18, -6, 6],
  ['NC', 16, -5, 2],
  ['IA', 15, -6, 5],
  ['IL', 15, -6, 6],
  ['TN', 15, -6, 3],
  ['NE', 15, -6, 6],
  ['IN', 15, -5, 4],
  ['MS', 14, -6, 5],
  ['MN', 13, -6, 5],
  ['OH', 13, -5, 4],
  ['MI', 13, -5, 4],
  ['OK', 12, -6, 7],
  ['WI', 11, -6, 5],
  ['FL', 11, -5, 3],
  ['PA', 11, -5, 1],
  ['CO', 10, -7, 8],
  ['CA', 10, -8, 9],
  ['AR', 10, -6, 7],
  ['SD', 10, -6, 5],
  ['AL', 9, -6, 3],
  ['NY', 9, -5, 1],
  ['WV', 8, -5, 2],
  ['MT', 8, -7, 6],
  ['ND', 8, -6, 5],
  ['LA', 7, -6, 7],
  ['WA', 6, -8, 9],
  ['ID', 6, -7, 8],
  ['SC', 6, -5, 2],
  ['OR', 5, -8, 9],
  ['NM', 5, -7, 8],
  ['UT', 4, -7, 8],
  ['AK', 4, -9, 9],
  ['NV', 4, -8, 8],
  ['WY', 3, -7, 8],
  ['NJ', 3, -5, 0],
  ['MD', 3, -5, 2],
  ['ME', 3, -5, 0],
  ['VT', 2, -5, 0],
  ['MA', 2, -5, 0],
  ['AZ', 2, -7, 8],
  ['NH', 2, -5, 0],
  ['CT', 1, -5, 0],
  ['HI', 1, -10, 9],
  ['RI', 1, -5, 0],
  ['DE', 1, -5, 1],
  ['DC', 1, -5, 2],
];
const PICK_STATE = new WeightedItems(STATES.map((state) => [state, state[1]] as const));
const COUNTIES = words(
  'Washington, Jefferson, Franklin, Clay, Madison, Jackson, Marion, Lincoln, Grant, Montgomery, Union, Monroe, Perry, Cherokee, Carroll, Crawford, Wayne, Adams, Douglas, Henry, Knox, Marshall, Polk, Fayette, Brown, Clinton, Lawrence, Scott, Clark, Johnson, Lake, Lee, Morgan, Greene, Pike, Warren, Calhoun, Cass, Macon, Mercer, Hamilton, Jones, Logan, Putnam, Williamson, Orange, Bronx, Ziebach, Walker, Daviess, Barrow, Fairfield, Luce, Richland, Maverick, Huron, Kittitas, Mobile, Raleigh, Salem, San Miguel, Terrell, Wadena, Oglethorpe, Dauphin, Levy, Arthur, Gage, Furnas, Halifax, Jim Hogg, Gogebic, Bottineau, Pennington, Rich',
).map((name) => `${name} County`);
const OWN_COUNTIES: Readonly<Record<string, readonly string[]>> = {
  KS: ['Rush County'],
  IN: ['Rush County', 'La Porte County'],
  MT: ['Toole County'],
  UT: ['Toole County'],
  NM: ['Dona Ana County'],
};
const COUNTIES_OF_STATE = 25;
const CITIES = words(
  'Midway, Fairview, Oak Grove, Five Points, Pleasant Hill, Centerville, Oakland, Liberty, Mount Olive, Riverside, Salem, Greenville, Forest Hills, Crossroads, Bunker Hill, Jamestown, Unionville, Pleasant Grove, Harmony, Hopewell, Lakeside, Fairfield, Edgewood, Lakewood, New Hope, Newport, Plainview, Greenwood, Mountain View, Oakwood, Bethel, Deerfield, Green Acres, Springfield, Union, Glenwood, Springdale, Waterloo, Ashland, Brownsville, Enterprise, Oakdale, Providence, Shiloh, Cedar Grove, Hillcrest, Marion, Bridgeport, Oak Hill, Red Hill, Union Hill, Clinton, Antioch, Concord, Kingston, Lebanon, Macedonia, Mount Pleasant, Mount Vernon, Mount Zion, Oak Ridge, Pine Grove, Pleasant Valley, Belmont, Buena Vista, Florence, Friendship, Georgetown, Highland Park, Hamilton, Lincoln, Newtown, Shady Grove, Sulphur Springs, Summit, Valley View, Walnut Grove, Wildwood, Wilson, Woodland, Woodville, Arlington, Farmington, Glendale, Jackson, Lakeview, Spring Hill, Sunnyside, White Oak, Woodlawn',
);
const STREETS = words(
  '1st, 2nd, 3rd, 4th, 5th, 6th, 7th, 8th, 9th, 10th, 11th, 12th, 13th, 14th, 15th, Adams, Ash, Birch, Broadway, Cedar, Center, Cherry, Chestnut, Church, College, Davis, Dogwood, East, Eigth, Elevnth, Elm, Fifth, First, Forest, Fourth, Franklin, Green, Highland, Hickory, Hill, Hillcrest, Jackson, Jefferson, Johnson, Lake, Laurel, Lee, Lincoln, Locust, Madison, Main, Maple, Meadow, Mill, Miller, Ninth, North, Oak, Park, Pine, Poplar, Railroad, Ridge, River, Second, Seventh, Sixth, Smith, South, Spring, Spruce, Sunset, Sycamore, Tenth, Third, Valley, View, Walnut, Washington, West, Williams, Willow, Wilson, Woodland',
);
const STREET_TYPES = words(
  'Street, ST, Avenue, Ave, Boulevard, Blvd, Road, RD, Parkway, Pkwy, Way, Wy, Drive, Dr., Circle, Cir., Lane, Ln, Court, Ct.',
);
/** The last digits of the western ZIP codes that one query filters by. */
const ASKED_ZIP_ENDS = ['5669', '6197', '8274', '3405', '6475', '5392', '5460', '0348', '1792'];

/**
 * Number, name and type of the street, suite; then city, county, state, ZIP, country, offset from Greenwich
 * in hours.
 */
export function anyAddress(random: Random): Value[] {
  const state = PICK_STATE.pick(random);
  const county = countyOf(state[0], random.integer(0, COUNTIES_OF_STATE - 1));
  return address(random, random.of(CITIES), county, state);
}

/**
 * The addresses of stores, sites, warehouses and call centers: in one county while there are few. @param few
 * the number of rows that counts as few
 */
export function outletAddress(random: Random, number: number, few: number): Value[] {
  const spread = number > few;
  const state = STATES.find(([name]) => name === 'TN')!;
  const other = spread ? STATES[mix32(number >> 3) % 9]! : state;
  const county = spread ? countyOf(other[0], mix32(number >> 2) % COUNTIES_OF_STATE) : 'Williamson County';
  return address(random, CITIES[mix32(number) % (spread ? 12 : 2)]!, county, [other[0], 0, -5, other[3]]);
}

function address(random: Random, city: string, county: string, [state, , gmtOffset, zip]: State): Value[] {
  const second = random.chance(0.5) ? random.of(STREETS) : '';
  const suite = random.integer(0, 99);
  return [
    String(random.integer(1, 1000)),
    `${random.of(STREETS)} ${second}`,
    random.of(STREET_TYPES),
    `Suite ${random.chance(0.5) ? suite * 5 : String.fromCharCode(65 + (suite % 25))}`,
    city,
    county,
    state,
    `${zip}${zipEnd(city, zip, random)}`,
    'United States',
    gmtOffset * 100,
  ];
}

/** A city has the same code in every state. */
function zipEnd(city: string, zip: number, random: Random): string {
  if (zip === 8 && random.chance(0.05)) return random.of(ASKED_ZIP_ENDS);
  const part = random.integer(0, 3);
  let number = part;
  for (let i = 0; i < city.length; i++) number = mix32(number * 31 + city.charCodeAt(i));
  return String(number % 10_000).padStart(4, '0');
}

function countyOf(state: string, place: number): string {
  const own = OWN_COUNTIES[state] ?? [];
  const number = state.charCodeAt(0) * 256 + state.charCodeAt(1) + place * 65_536;
  return own[place] ?? COUNTIES[mix32(number) % COUNTIES.length]!;
}
