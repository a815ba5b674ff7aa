/** Shows the progress of a run to the user. */
export interface Progress {
  benchmark(name: string): void;
  /** `fraction` of the benchmark, 0 to 1, if it is known. */
  doing(what: string, fraction: number | undefined): void;
  /** Removes the line, so that something else can be printed. */
  clear(): void;
  stop(): void;
}

export interface ProgressOutput {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

const REDRAW_MS = 250;
const DEFAULT_COLUMNS = 80;
const CLEAR_LINE = '\r\u001b[2K';

export const silentProgress: Progress = { benchmark() {}, doing() {}, clear() {}, stop() {} };

/** On a terminal a single line that is updated; elsewhere one line per step. */
export const progressTo = (output: ProgressOutput): Progress =>
  output.isTTY === true ? new LineOnTerminal(output) : new PlainLines(output);

class PlainLines implements Progress {
  readonly #output: ProgressOutput;
  #name = '';

  constructor(output: ProgressOutput) {
    this.#output = output;
  }

  benchmark(name: string): void {
    this.#name = name;
  }

  doing(what: string): void {
    this.#output.write(`… ${prefixed(this.#name, what)}\n`);
  }

  clear(): void {}
  stop(): void {}
}

class LineOnTerminal implements Progress {
  readonly #output: ProgressOutput;
  readonly #timer: NodeJS.Timeout;
  #name = '';
  #what = '';
  #fraction: number | undefined;
  #startedAt = performance.now();
  #shown = false;

  constructor(output: ProgressOutput) {
    this.#output = output;
    this.#timer = setInterval(() => this.#draw(), REDRAW_MS);
    this.#timer.unref();
  }

  benchmark(name: string): void {
    this.#name = name;
    this.#what = 'starting';
    this.#fraction = undefined;
    this.#startedAt = performance.now();
    this.#draw();
  }

  doing(what: string, fraction: number | undefined): void {
    this.#what = what;
    this.#fraction = fraction;
    this.#draw();
  }

  clear(): void {
    if (this.#shown) this.#output.write(CLEAR_LINE);
    this.#shown = false;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.clear();
  }

  #draw(): void {
    if (this.#name === '') return;
    const elapsed = (performance.now() - this.#startedAt) / 1000;
    const text = `${prefixed(this.#name, this.#what)} · ${timesOf(elapsed, this.#fraction)}`;
    const columns = this.#output.columns ?? DEFAULT_COLUMNS;
    this.#output.write(`${CLEAR_LINE}${text.length < columns ? text : `${text.slice(0, columns - 2)}…`}`);
    this.#shown = true;
  }
}

/** Prefixes a step with its benchmark, unless it already names it. */
const prefixed = (name: string, what: string): string =>
  what.startsWith(`${name}:`) ? what : `${name}: ${what}`;

/** Formats the elapsed time (`1:05`) and the remaining time at this pace. */
export function timesOf(elapsedSeconds: number, fraction: number | undefined): string {
  const elapsed = clock(elapsedSeconds);
  if (fraction === undefined || fraction <= 0) return elapsed;
  const percent = `${Math.floor(Math.min(1, fraction) * 100)} %`;
  return `${percent} · ${elapsed}, ${clock((elapsedSeconds / fraction) * (1 - Math.min(1, fraction)))} left`;
}

function clock(seconds: number): string {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
