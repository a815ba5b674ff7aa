/** The ticks and the extent of an axis; maps values to positions from 0 to 1. */
export interface Scale {
  readonly ticks: readonly number[];
  place(value: number): number;
}

const WANTED_TICKS = 5;

/** A scale from zero to a round number above all values. */
export function linearScale(values: readonly number[]): Scale {
  const most = Math.max(...values, 0);
  const step = roundStep(most / WANTED_TICKS || 1);
  const count = Math.max(1, Math.ceil(most / step - 1e-9));
  const end = count * step;
  return {
    ticks: Array.from({ length: count + 1 }, (_, n) => n * step),
    place: (value) => value / end,
  };
}

/** 1, 2 or 5 times a power of ten. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return (([1, 2, 5, 10] as const).find((times) => times * power >= least * (1 - 1e-9)) ?? 10) * power;
}

/** A scale between round numbers around all values. */
export function logScale(values: readonly number[]): Scale {
  const positive = values.filter((value) => value > 0);
  if (positive.length === 0) return linearScale([]);
  const [least, most] = [Math.min(...positive), Math.max(...positive)];
  const marks = marksAround(least, most);
  const [from, to] = [Math.log10(marks[0]!), Math.log10(marks.at(-1)!)];
  return {
    ticks: marks,
    place: (value) => (value <= 0 ? 0 : (Math.log10(value) - from) / (to - from)),
  };
}

function marksAround(least: number, most: number): number[] {
  const decades = Math.log10(most / least);
  const steps = decades > 4 ? [1] : decades > 2 ? [1, 3] : [1, 2, 5];
  const marks: number[] = [];
  for (let power = Math.floor(Math.log10(least)) - 1; power <= Math.ceil(Math.log10(most)) + 1; power++)
    marks.push(...steps.map((step) => Number(`${step}e${power}`)));
  const first = marks.findLastIndex((mark) => mark <= least);
  const last = marks.findIndex((mark) => mark >= most);
  return marks.slice(Math.max(0, first === last ? first - 1 : first), last + 1);
}
