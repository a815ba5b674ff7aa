import { SeededRandom } from '@tessera/common';

/** The fault for a request that matches a rule. */
export type Fault =
  /** The proxy returns this response; with `passOn`, after the server has executed the request. */
  | { readonly kind: 'answer'; readonly status: number; readonly code: string; readonly passOn?: boolean }
  /** The connection is reset; with `passOn`, after the server has executed the request. */
  | { readonly kind: 'reset'; readonly passOn?: boolean }
  /** The request is neither forwarded nor answered. */
  | { readonly kind: 'silence' }
  /**
   * The request waits until the rules are replaced; with `passOn`, the server has executed it before and its
   * response waits.
   */
  | { readonly kind: 'hold'; readonly passOn?: boolean }
  | { readonly kind: 'delay'; readonly ms: number }
  /**
   * The response body ends after this fraction of it, 0 to 1: by closing the connection, or with a matching
   * length header.
   */
  | { readonly kind: 'truncate'; readonly share: number; readonly honestLength?: boolean }
  /** One bit of the response body is flipped, at this fraction of it. */
  | { readonly kind: 'flip'; readonly share: number };

export interface FaultRule {
  readonly fault: Fault;
  /** A regular expression for the method; by default it matches all. */
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

/** Decides which requests get a fault: the first matching rule applies. Reproducible by its seed. */
export class FaultRules {
  #rules: { rule: FaultRule; seen: number; caught: number }[] = [];
  readonly #random: SeededRandom;
  #replaced = Promise.withResolvers<void>();

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
  }

  /** Replaces all rules and resets their counters. */
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
