import { SeededRandom } from '@tessera/common';

/** The arrival of requests that do not depend on answers. */
export interface Arrivals {
  readonly perSecond: number;
  /** At equal distances, or independent of each other. */
  readonly spread: 'even' | 'poisson';
  readonly seed: number;
}

/** The send times of all requests within the duration: milliseconds from the start, ascending. */
export function arrivalTimes({ perSecond, spread, seed }: Arrivals, milliseconds: number): number[] {
  if (!(perSecond > 0)) throw new Error(`Requests cannot come at ${perSecond} a second`);
  const mean = 1_000 / perSecond;
  const random = new SeededRandom(seed);
  const distance = () => (spread === 'even' ? mean : -mean * Math.log(1 - random.fraction()));
  const times: number[] = [];
  for (let time = distance(); time < milliseconds; time += distance()) times.push(time);
  return times;
}
