/** A plan, or a part of one, that cannot be told as relations or as SQL: the query is run as it was written. */
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
