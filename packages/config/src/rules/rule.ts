import type { EngineConfig } from '../schema/root.ts';

export type Path = readonly (string | number)[];

/** A breach of a rule that ties parameters together. */
export interface Breach {
  readonly path: Path;
  readonly message: string;
  /** Other parameters the rule looked at. */
  readonly because?: readonly Path[];
}

export interface Facts {
  readonly config: EngineConfig;
  /** Whether the file itself says something at this path. */
  given(path: Path): boolean;
}

/** Looks at a configuration whose every value is right in itself. */
export type Rule = (facts: Facts) => Breach[];

/** `none` or one breach: reads as "when …, at …, that …". */
export function breachIf(
  broken: boolean,
  path: Path,
  message: string,
  because: readonly Path[] = [],
): Breach[] {
  return broken ? [{ path, message, because }] : [];
}
