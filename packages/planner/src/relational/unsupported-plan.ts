/** A plan that cannot be told in stages; the query runs on one node. */
export class UnsupportedPlan extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'UnsupportedPlan';
  }
}
