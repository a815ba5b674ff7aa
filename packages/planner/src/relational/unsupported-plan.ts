/**
 * Thrown for a plan, or a part of one, that cannot be represented as relations or rendered as SQL. The query
 * then runs as it was written.
 */
export class UnsupportedPlan extends Error {
  override readonly name = 'UnsupportedPlan';
  readonly reason: string;

  constructor(reason: string) {
    super(`The plan is not understood: ${reason}`);
    this.reason = reason;
  }
}

export function unsupported(reason: string): never {
  throw new UnsupportedPlan(reason);
}
