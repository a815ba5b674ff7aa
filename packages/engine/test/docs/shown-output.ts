import type { ShownOutput } from './page-steps.ts';

const VARYING = '◇';

/** A text on the page and the actual text in this run. */
export type Renamed = readonly [shown: string, given: string];

export interface Comparison {
  /** Both texts are equal if the page is correct; otherwise their difference is the error. */
  readonly shown: string;
  readonly given: string;
  readonly renamed: readonly Renamed[];
}

/**
 * Compares the shown output with the actual one. `…` matches anything within a line, or any lines if it is
 * alone on a line. If there are patterns of varying output, column widths may vary too.
 */
export function compareOutput({ text, varies, names }: ShownOutput, output: string): Comparison {
  const patterns = [...varies, ...names];
  const [shown, given] = [simplified(text, patterns), simplified(output, patterns)];
  const isSame = new RegExp(`^${expression(shown)}$`).test(given);
  return { shown: isSame ? given : shown, given, renamed: isSame ? renamedNames(names, text, output) : [] };
}

function simplified(text: string, patterns: readonly RegExp[]): string {
  const lines = text.replace(/[ \t]+$/gm, '').replace(/\n*$/, '\n');
  if (patterns.length === 0) return lines;
  return patterns
    .reduce((rest, pattern) => rest.replace(pattern, VARYING), lines)
    .replace(/(?<=\S) +/g, ' ')
    .replace(/^ +/gm, ' ')
    .replace(/-{2,}/g, '--');
}

const expression = (shown: string): string =>
  shown
    .replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
    .replace(/^ *…\n/gm, '(?:.*\\n)*?')
    .replaceAll('…', '.*');

function renamedNames(names: readonly RegExp[], text: string, output: string): Renamed[] {
  return names.flatMap((pattern) => {
    const [shown, given] = [text.match(pattern) ?? [], output.match(pattern) ?? []];
    if (shown.length !== given.length) throw new Error(`${shown} and ${given} are not the same names`);
    return shown.map((name, i): Renamed => [name, given[i]!]);
  });
}
