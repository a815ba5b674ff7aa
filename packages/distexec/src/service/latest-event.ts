/** Passes on the latest event until the end; a slow reader skips outdated events. */
export class LatestEvent<T, End> {
  #latest: T | undefined;
  #wake: (() => void) | undefined;
  readonly #end = Promise.withResolvers<End>();

  constructor() {
    this.#end.promise.catch(() => undefined);
  }

  emit(event: T): void {
    this.#latest = event;
    this.#wake?.();
  }

  readonly end = (end: End): void => this.#end.resolve(end);
  readonly fail = (error: unknown): void => this.#end.reject(error);

  /**
   * Resolves with the latest event since the last call, or waits for the next one; rejects with the failure.
   */
  async next(): Promise<{ readonly latest?: T; readonly end?: End }> {
    const emitted = new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (this.#latest !== undefined) resolve();
    });
    const end = await Promise.race([this.#end.promise, emitted]);
    if (end !== undefined) return { end };
    const latest = this.#latest!;
    this.#latest = undefined;
    return { latest };
  }
}
