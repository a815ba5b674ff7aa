/** Passes on what happens last, until the end; a reader that is slow misses what is out of date. */
export class LatestEvent<T, End> {
  #latest: T | undefined;
  #wake: (() => void) | undefined;
  readonly #end = Promise.withResolvers<End>();

  constructor() {
    this.#end.promise.catch(() => undefined);
  }

  tell(event: T): void {
    this.#latest = event;
    this.#wake?.();
  }

  readonly end = (end: End): void => this.#end.resolve(end);
  readonly fail = (error: unknown): void => this.#end.reject(error);

  /** What happened since the last call, else what happens next; rejects with what it failed with. */
  async next(): Promise<{ readonly latest?: T; readonly end?: End }> {
    const told = new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (this.#latest !== undefined) resolve();
    });
    const end = await Promise.race([this.#end.promise, told]);
    if (end !== undefined) return { end };
    const latest = this.#latest!;
    this.#latest = undefined;
    return { latest };
  }
}
