/** Virtual time: the scheduled events, in order. */
export class Clockwork {
  now = 0;
  #next = 0;
  readonly #heap: { readonly at: number; readonly order: number; readonly run: () => void }[] = [];

  after(delayMs: number, run: () => void): void {
    this.#heap.push({ at: this.now + Math.max(0, delayMs), order: this.#next++, run });
    this.#up(this.#heap.length - 1);
  }

  /** Runs all events up to the time, or until `enough` returns true. */
  runUntil(time: number, enough: () => boolean = () => false): void {
    while (this.#heap.length > 0 && this.#heap[0]!.at <= time) {
      const { at, run } = this.#take();
      this.now = at;
      run();
      if (enough()) return;
    }
    this.now = time;
  }

  #take() {
    const heap = this.#heap;
    const first = heap[0]!;
    const last = heap.pop()!;
    if (heap.length > 0) {
      heap[0] = last;
      this.#down();
    }
    return first;
  }

  #up(from: number): void {
    for (let i = from; i > 0; ) {
      const parent = (i - 1) >> 1;
      if (!this.#before(i, parent)) return;
      this.#swap(i, parent);
      i = parent;
    }
  }

  #down(): void {
    for (let i = 0; ; ) {
      let least = i;
      for (const child of [2 * i + 1, 2 * i + 2]) {
        if (child < this.#heap.length && this.#before(child, least)) least = child;
      }
      if (least === i) return;
      this.#swap(i, least);
      i = least;
    }
  }

  #before(a: number, b: number): boolean {
    const [x, y] = [this.#heap[a]!, this.#heap[b]!];
    return x.at < y.at || (x.at === y.at && x.order < y.order);
  }

  #swap(a: number, b: number): void {
    const x = this.#heap[a]!;
    this.#heap[a] = this.#heap[b]!;
    this.#heap[b] = x;
  }
}
