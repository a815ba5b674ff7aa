import type { Value } from '../generate/source.ts';

const MARITAL = ['M', 'S', 'D', 'W', 'U'];
const EDUCATION = [
  'Primary',
  'Secondary',
  'College',
  '2 yr Degree',
  '4 yr Degree',
  'Advanced Degree',
  'Unknown',
];
const CREDIT = ['Good', 'Low Risk', 'High Risk', 'Unknown'];
const POTENTIAL = ['0-500', '501-1000', '1001-5000', '5001-10000', '>10000', 'Unknown'];
const VEHICLES = [0, 1, 2, 3, 4, -1];
const BAND = 10_000;

/** Each row is one of all combinations, and its number determines which. @param place from 0 */
export function customerDemographicsRow(place: number): readonly Value[] {
  const next = digitsOf(place);
  return [
    place + 1,
    next(2) === 0 ? 'M' : 'F',
    MARITAL[next(MARITAL.length)]!,
    EDUCATION[next(EDUCATION.length)]!,
    500 * (next(20) + 1),
    CREDIT[next(CREDIT.length)]!,
    next(7),
    next(7),
    next(7),
  ];
}

/** @param place from 0 */
export function householdDemographicsRow(place: number): readonly Value[] {
  const next = digitsOf(place + 1);
  return [
    place + 1,
    next(20) + 1,
    POTENTIAL[next(POTENTIAL.length)]!,
    next(10),
    VEHICLES[next(VEHICLES.length)]!,
  ];
}

/** @param place from 0 */
export const incomeBandRow = (place: number): readonly Value[] => [
  place + 1,
  place === 0 ? 0 : place * BAND + 1,
  (place + 1) * BAND,
];

/** The digits of a number in a mixed-radix system, the lowest first. */
function digitsOf(number: number): (base: number) => number {
  let rest = number;
  return (base) => {
    const digit = rest % base;
    rest = Math.floor(rest / base);
    return digit;
  };
}
