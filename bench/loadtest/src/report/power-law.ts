/** A power law between two quantities: `y ∝ x^exponent`. */
export interface PowerLaw {
  /** 1 means proportional, less means slower growth, 0 means constant. */
  readonly exponent: number;
  /** The explained fraction of the variance, 0 to 1. */
  readonly r2: number;
}

/**
 * The least-squares line through the logarithms. Undefined for fewer than two points, or if a value is not
 * above 0.
 */
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
  // A constant quantity is explained completely.
  const r2 = spreadOfY === 0 ? 1 : together ** 2 / (spreadOfX * spreadOfY);
  return { exponent: together / spreadOfX, r2 };
}
