import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { cancellation } from '@tessera/common';

/** Whether a path segment contains a character that makes it a pattern. */
export function isPattern(segment: string): boolean {
  return /[*?[]/.test(segment);
}

/**
 * Paths below `directory` whose segments match: `*` any characters, `?` one, `[a-z]` and `[!a-z]` one of or not of a
 * set, `**` as a whole segment any depth. Names with a leading dot match only patterns that have it. `**` and `*` do
 * not go through directories that are symbolic links. Directories that cannot be opened count as empty, and so do those that
 * `enters` refuses.
 */
export async function* expandGlob(
  directory: string,
  segments: readonly string[],
  signal: AbortSignal,
  enters: (directory: string) => boolean = () => true,
): AsyncGenerator<string> {
  if (signal.aborted) throw cancellation(signal);
  const [pattern, ...rest] = segments;
  if (pattern === '**' && rest[0] === '**') {
    // Otherwise k of them would walk the tree once for every way in which its depth can be divided among k.
    yield* expandGlob(directory, rest, signal, enters);
    return;
  }
  if (pattern === undefined) return;
  if (!isPattern(pattern)) {
    const path = join(directory, pattern);
    if (rest.length > 0) yield* expandGlob(path, rest, signal, enters);
    else if (await exists(path)) yield path;
    return;
  }
  const anyDepth = pattern === '**';
  if (anyDepth && rest.length > 0) yield* expandGlob(directory, rest, signal, enters);
  const matches = anyDepth ? (name: string) => !name.startsWith('.') : segmentMatcher(pattern);
  const entries = await opendir(directory).catch(() => undefined);
  for await (const entry of entries ?? []) {
    if (!matches(entry.name)) continue;
    const path = join(directory, entry.name);
    if (!entry.isDirectory()) {
      if (rest.length === 0) yield path;
    } else if (!enters(path)) {
      // Nothing below it can match.
    } else if (anyDepth) {
      yield* expandGlob(path, segments, signal, enters);
    } else if (rest.length > 0) {
      yield* expandGlob(path, rest, signal, enters);
    }
  }
}

/**
 * Matches like {@link expandGlob} for names that are not in a directory tree: complete paths, split at `/`. It takes at
 * most segments of the pattern × segments of the name steps.
 */
export function globMatcher(pattern: readonly string[]): (names: readonly string[]) => boolean {
  // A final `**` must still match at least one name.
  const segments = pattern.at(-1) === '**' ? [...pattern, '*'] : pattern;
  const matchers = segments.map((segment) => {
    if (segment === '**') return 'any depth';
    return isPattern(segment) ? segmentMatcher(segment) : (name: string) => name === segment;
  });
  return (names) => {
    let reached = withEmptyDepths(new Set([0]), matchers);
    for (const name of names) {
      const next = new Set<number>();
      for (const at of reached) {
        const matcher = matchers[at];
        if (matcher === 'any depth') {
          if (!name.startsWith('.')) next.add(at);
        } else if (matcher?.(name)) {
          next.add(at + 1);
        }
      }
      reached = withEmptyDepths(next, matchers);
    }
    return reached.has(matchers.length);
  };
}

/** The iteration over the set includes the states that are added meanwhile. */
function withEmptyDepths(reached: Set<number>, matchers: readonly unknown[]): Set<number> {
  for (const at of reached) if (matchers[at] === 'any depth') reached.add(at + 1);
  return reached;
}

function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

type Token = 'star' | ((character: string) => boolean);

function segmentMatcher(pattern: string): (name: string) => boolean {
  const tokens = parse(pattern);
  return (name) => (pattern.startsWith('.') || !name.startsWith('.')) && matchTokens(tokens, [...name]);
}

/** Backtracks only to the latest star: at worst, the number of steps is tokens × characters. */
function matchTokens(tokens: readonly Token[], name: readonly string[]): boolean {
  let token = 0;
  let at = 0;
  let star = -1;
  let starAt = 0;
  while (at < name.length) {
    const current = tokens[token];
    if (current === 'star') {
      star = token++;
      starAt = at;
    } else if (current?.(name[at]!)) {
      token++;
      at++;
    } else if (star >= 0) {
      token = star + 1;
      at = ++starAt;
    } else {
      return false;
    }
  }
  while (tokens[token] === 'star') token++;
  return token === tokens.length;
}

function parse(pattern: string): Token[] {
  const tokens: Token[] = [];
  for (const [text, set] of pattern.matchAll(/\[(!?\]?[^\]]*)\]|\*+|./gsu)) {
    if (set !== undefined) tokens.push(characterSet(set));
    else if (text.startsWith('*')) tokens.push('star');
    else if (text === '?') tokens.push(() => true);
    else tokens.push((character) => character === text);
  }
  return tokens;
}

function characterSet(text: string): (character: string) => boolean {
  const negated = text.startsWith('!');
  const ranges = [...(negated ? text.slice(1) : text).matchAll(/(.)-(.)|(.)/gsu)].map(
    ([, from, to, single]) => [(from ?? single)!, (to ?? single)!] as const,
  );
  return (character) => ranges.some(([from, to]) => from <= character && character <= to) !== negated;
}
