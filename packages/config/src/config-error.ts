/** One problem of a configuration file. */
export interface Violation {
  /** Counts from 1; 0 if the file has no lines because it cannot be read. */
  readonly line: number;
  /** The parameter, such as `engine.nodes[1].host`; empty if the problem concerns the whole file. */
  readonly path: string;
  readonly message: string;
}

/** All problems of a configuration file, in the order of its lines. */
export class ConfigError extends Error {
  readonly fileName: string;
  readonly violations: readonly Violation[];

  constructor(fileName: string, violations: readonly Violation[]) {
    const sorted = violations.toSorted((a, b) => a.line - b.line);
    super(
      sorted
        .map(
          (v) =>
            `${fileName}:${v.line === 0 ? '' : `${v.line}:`} ${v.path === '' ? '' : `${v.path}: `}${v.message}`,
        )
        .join('\n'),
    );
    this.fileName = fileName;
    this.violations = sorted;
  }
}
