import { ConfigError, type Violation } from './config-error.ts';
import { mismatches, valueAt } from './issues.ts';
import { parameterAt, pathText } from './parameters.ts';
import { resolveReferences, type Surroundings } from './references.ts';
import { repair } from './repair.ts';
import { RULES, WARNINGS } from './rules/index.ts';
import type { Breach, Facts } from './rules/rule.ts';
import { type EngineConfig, root } from './schema/root.ts';
import { readSource, type Source } from './source.ts';

/** A configuration, and the values that the file itself sets. */
export interface ParsedConfig {
  readonly config: EngineConfig;
  /** The file as written: without defaults, and with unresolved references. */
  readonly given: unknown;
  /** Warnings about valid settings that are probably a mistake. */
  readonly warnings: readonly Violation[];
}

/**
 * Parses the text of a configuration file and resolves its references.
 * @throws ConfigError with all problems: if the text is not YAML, only that; otherwise every repeated, unknown,
 * missing and wrong parameter and every violated rule
 */
export function parseConfig(
  text: string,
  fileName: string,
  environment: Surroundings['environment'] = process.env,
): ParsedConfig {
  const source = readSource(text);
  if (source.value === undefined) throw new ConfigError(fileName, source.violations);
  const resolved = resolveReferences(source, { file: fileName, environment });
  const written = withoutEmptyBlocks(resolved.value, []);
  const result = root.safeParse(written);
  const issues = result.success ? [] : result.error.issues;
  const { config, madeUp } = result.success ? { config: result.data, madeUp: [] } : repair(written, issues);
  const violations: Violation[] = [
    ...source.violations,
    ...resolved.violations,
    ...mismatches(issues, source).filter(({ path }) => !resolved.violations.some((v) => v.path === path)),
    ...breaches(config, source)
      .filter((breach) => !touches(breach, madeUp))
      .map(({ path, message }) => ({ line: source.lineOf(path), path: pathText(path), message })),
  ];
  if (violations.length > 0) throw new ConfigError(fileName, violations);
  const weaknesses = WARNINGS.flatMap((rule) => rule(factsOf(config, source))).map(({ path, message }) => ({
    line: source.lineOf(path),
    path: pathText(path),
    message,
  }));
  return { config, given: source.value, warnings: [...resolved.warnings, ...weaknesses] };
}

function breaches(config: EngineConfig, source: Source): Breach[] {
  const facts = factsOf(config, source);
  return RULES.flatMap((rule) => rule.breaches(facts));
}

const factsOf = (config: EngineConfig, source: Source): Facts => ({
  config,
  given: (path) => valueAt(source.value, path) !== undefined,
});

/** YAML reads a block whose every parameter is commented out (`engine:`) as null; it is an empty block. */
function withoutEmptyBlocks(value: unknown, path: readonly PropertyKey[]): unknown {
  if (Array.isArray(value))
    return value.map((element, index) => withoutEmptyBlocks(element, [...path, index]));
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).filter(([key, inside]) => {
    const parameter = inside === null ? parameterAt([...path, key]) : undefined;
    return parameter?.fields === undefined || parameter.default === null;
  });
  return Object.fromEntries(
    entries.map(([key, inside]) => [key, withoutEmptyBlocks(inside, [...path, key])]),
  );
}

/** Whether a rule used a value that replaces a wrong one, or a block around or inside one. */
function touches(breach: Breach, madeUp: readonly (readonly PropertyKey[])[]): boolean {
  const looked = [breach.path, ...(breach.because ?? [])];
  return madeUp.some((made) => looked.some((path) => overlaps(path, made)));
}

function overlaps(a: readonly PropertyKey[], b: readonly PropertyKey[]): boolean {
  const shared = Math.min(a.length, b.length);
  return a.slice(0, shared).every((key, i) => key === b[i]);
}
