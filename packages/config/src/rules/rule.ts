import type { EngineConfig } from '../schema/root.ts';

export type Path = readonly (string | number)[];

/** A violation of a rule between parameters. */
export interface Breach {
  readonly path: Path;
  readonly message: string;
  /** The other parameters that the rule used. */
  readonly because?: readonly Path[];
}

export interface Facts {
  readonly config: EngineConfig;
  /** Whether the file itself sets this path. */
  given(path: Path): boolean;
}

/** Checks a configuration of which every single value is valid. */
export type Rule = (facts: Facts) => Breach[];

/** Returns `none` or one violation, in the form "when …, at …, that …". */
export function breachIf(
  broken: boolean,
  path: Path,
  message: string,
  because: readonly Path[] = [],
): Breach[] {
  return broken ? [{ path, message, because }] : [];
}
