import { SeededRandom } from '@tessera/common';

/** The fault of a request that a rule catches. */
export type Fault =
  /** Answered so by the proxy; with `passOn`, after the server has done it. */
  | { readonly kind: 'answer'; readonly status: number; readonly code: string; readonly passOn?: boolean }
  /** The connection is reset; with `passOn`, after the server has done it. */
  | { readonly kind: 'reset'; readonly passOn?: boolean }
  /** Nothing is passed on and nothing is answered. */
  | { readonly kind: 'silence' }
  /** Kept until the rules are replaced; with `passOn`, the server has done it before and its answer is kept. */
  | { readonly kind: 'hold'; readonly passOn?: boolean }
  | { readonly kind: 'delay'; readonly ms: number }
  /** The body of the answer ends after this share of it, 0 to 1: with the connection, or with a header that agrees. */
  | { readonly kind: 'truncate'; readonly share: number; readonly honestLength?: boolean }
  /** One bit of the body of the answer is turned, at this share of it. */
  | { readonly kind: 'flip'; readonly share: number };

export interface FaultRule {
  readonly fault: Fault;
  /** Regular expression over the method; all when left out. */
  readonly method?: string;
  /** Regular expression over the path with its query (`/bucket/key?…`), not decoded; by default it matches all. */
  readonly path?: string;
  /** The percentage of matching requests that the rule catches; by default all. */
  readonly percent?: number;
  /** The maximum number of requests that the rule catches. */
  readonly times?: number;
  /** The number of matching requests that pass before the rule applies. */
  readonly skip?: number;
}

export interface RuleState extends FaultRule {
  readonly seen: number;
  readonly caught: number;
}

/** Decides which requests are caught: the first rule that takes one has it. Reproducible by its seed. */
export class FaultRules {
  #rules: { rule: FaultRule; seen: number; caught: number }[] = [];
  readonly #random: SeededRandom;
  #replaced = Promise.withResolvers<void>();

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
  }

  /** Replaces all rules and forgets what they counted. */
  set(rules: readonly FaultRule[]): void {
    this.#rules = rules.map((rule) => ({ rule, seen: 0, caught: 0 }));
    this.#replaced.resolve();
    this.#replaced = Promise.withResolvers();
  }

  /** Resolves when these rules are replaced by others. */
  replaced(): Promise<void> {
    return this.#replaced.promise;
  }

  states(): RuleState[] {
    return this.#rules.map(({ rule, seen, caught }) => ({ ...rule, seen, caught }));
  }

  catch(method: string, path: string): Fault | undefined {
    for (const state of this.#rules) {
      const { rule } = state;
      if (!new RegExp(rule.method ?? '').test(method) || !new RegExp(rule.path ?? '').test(path)) continue;
      state.seen++;
      if (state.seen <= (rule.skip ?? 0) || state.caught >= (rule.times ?? Number.POSITIVE_INFINITY))
        continue;
      if (rule.percent !== undefined && this.#random.fraction() * 100 >= rule.percent) continue;
      state.caught++;
      return rule.fault;
    }
    return undefined;
  }
}
