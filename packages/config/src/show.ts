import { Document, isMap, isScalar, isSeq } from 'yaml';
import { valueAt } from './issues.ts';
import { parameterAt, pathText } from './parameters.ts';
import type { ParsedConfig } from './parse.ts';
import { isReference } from './references.ts';
import type { Effect } from './schema/parameter.ts';
import { formatByteSize } from './values/byte-size.ts';
import { formatDuration } from './values/duration.ts';

export interface ShownConfig {
  /** The value as it would be written in a file; secrets are masked. */
  readonly value: unknown;
  /** Parameters of `value` that the engine accepts but does not act on yet. */
  readonly notYetInEffect: readonly { readonly path: string; readonly effect: Effect }[];
}

type Path = readonly (string | number)[];

/** The parameters that a configuration sets; with `defaults`, also those that have their default value. */
export function showConfig(parsed: ParsedConfig, options: { readonly defaults: boolean }): ShownConfig {
  const pending: ShownConfig['notYetInEffect'][number][] = [];
  const shown = (value: unknown, path: Path): unknown => {
    if (Array.isArray(value)) return value.map((element, i) => shown(element, [...path, i]));
    if (value !== null && typeof value === 'object')
      return Object.fromEntries(
        Object.entries(value)
          .filter(([key]) => options.defaults || valueAt(parsed.given, [...path, key]) !== undefined)
          .map(([key, inside]) => [key, shown(inside, [...path, key])]),
      );
    const effect = parameterAt(path)?.effect;
    if (effect !== undefined && effect !== 'in effect') pending.push({ path: pathText(path), effect });
    const given = valueAt(parsed.given, path);
    return isReference(given) ? given : asWritten(value, path);
  };
  return { value: shown(parsed.config, []), notYetInEffect: pending };
}

/** A parameter with a value of its own, as opposed to a block of parameters. */
export interface ConfigurationValue {
  /** The path with the positions in lists, such as `engine.nodes[0].host`. */
  readonly path: string;
  /**
   * The value as it would be written in a file; secrets are masked. Undefined for a parameter without a value.
   */
  readonly value: string | undefined;
  /** Whether the file sets it. */
  readonly isSet: boolean;
  readonly meaning: string;
}

/** The values of all parameters, in the order of the documentation. */
export function configurationValues(
  parsed: Pick<ParsedConfig, 'config' | 'given'>,
): readonly ConfigurationValue[] {
  const found: ConfigurationValue[] = [];
  const visit = (value: unknown, path: Path): void => {
    const parameter = parameterAt(path);
    if (value !== null && typeof value === 'object') {
      for (const [key, inside] of Object.entries(value))
        visit(inside, [...path, Array.isArray(value) ? Number(key) : key]);
      return;
    }
    const given = valueAt(parsed.given, path);
    const written = isReference(given) ? given : asWritten(value, path);
    found.push({
      path: pathText(path),
      value: written === null || written === undefined ? undefined : String(written),
      isSet: given !== undefined,
      meaning: parameter?.meaning ?? '',
    });
  };
  visit(parsed.config, []);
  return found;
}

function asWritten(value: unknown, path: Path): unknown {
  const parameter = parameterAt(path);
  if (value === null) return null;
  if (parameter?.secret) return '********';
  if (parameter?.type === 'duration') return formatDuration(value as number);
  if (parameter?.type === 'byte size') return formatByteSize(value as number);
  return value;
}

/** Renders the values as YAML, with a comment at every parameter that is not yet in effect. */
export function showConfigAsYaml(shown: ShownConfig): string {
  const document = new Document(shown.value);
  const effects = new Map(shown.notYetInEffect.map((p) => [p.path, p.effect]));
  const comment = (node: unknown, path: Path): void => {
    if (isMap(node))
      for (const pair of node.items)
        comment(pair.value, [...path, String((pair.key as { value: unknown }).value)]);
    else if (isSeq(node)) for (const [i, item] of node.items.entries()) comment(item, [...path, i]);
    else if (isScalar(node)) {
      const effect = effects.get(pathText(path));
      if (effect !== undefined) node.comment = ` not yet in effect: ${effect}`;
    }
  };
  comment(document.contents, []);
  return document.toString({ lineWidth: 0 });
}
