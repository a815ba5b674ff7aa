/** How something grows with something else: `y ∝ x^exponent`. */
export interface PowerLaw {
  /** 1: in proportion; below, less than that; 0: not at all. */
  readonly exponent: number;
  /** The part of the differences that the law explains, 0 to 1. */
  readonly r2: number;
}

/** The straight line of least squares through the logarithms. Undefined for fewer than two places, or where something is not above 0. */
export function powerLaw(points: readonly (readonly [x: number, y: number])[]): PowerLaw | undefined {
  if (points.some(([x, y]) => !(x > 0 && y > 0))) return undefined;
  const logs = points.map(([x, y]) => [Math.log(x), Math.log(y)] as const);
  const mean = (of: (point: readonly [number, number]) => number) =>
    logs.reduce((sum, point) => sum + of(point), 0) / logs.length;
  const [x, y] = [mean(([lx]) => lx), mean(([, ly]) => ly)];
  const spreadOfX = mean(([lx]) => (lx - x) ** 2);
  if (!(spreadOfX > 0)) return undefined;
  const together = mean(([lx, ly]) => (lx - x) * (ly - y));
  const spreadOfY = mean(([, ly]) => (ly - y) ** 2);
  // What does not differ is explained.
  const r2 = spreadOfY === 0 ? 1 : together ** 2 / (spreadOfX * spreadOfY);
  return { exponent: together / spreadOfX, r2 };
}
