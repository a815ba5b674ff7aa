import { SeededRandom } from '@tessera/common';

/** How requests come when nobody waits for answers. */
export interface Arrivals {
  readonly perSecond: number;
  /** At equal distances, or independent of each other. */
  readonly spread: 'even' | 'poisson';
  readonly seed: number;
}

/** When each request of that time is to be sent: milliseconds from the beginning, ascending. */
export function arrivalTimes({ perSecond, spread, seed }: Arrivals, milliseconds: number): number[] {
  if (!(perSecond > 0)) throw new Error(`Requests cannot come at ${perSecond} a second`);
  const mean = 1_000 / perSecond;
  const random = new SeededRandom(seed);
  const distance = () => (spread === 'even' ? mean : -mean * Math.log(1 - random.fraction()));
  const times: number[] = [];
  for (let time = distance(); time < milliseconds; time += distance()) times.push(time);
  return times;
}
