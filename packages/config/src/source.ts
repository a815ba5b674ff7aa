import {
  type Document,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from 'yaml';
import type { Violation } from './config-error.ts';
import { pathText } from './parameters.ts';

/** The text of a configuration file: its value, and the line of each part. */
export interface Source {
  /** The value of the text; undefined if it is not YAML. */
  readonly value: unknown;
  /** The syntax errors of the YAML text. */
  readonly violations: readonly Violation[];
  /** The line of the value at a path, or of the innermost block around it that is in the file. */
  lineOf(path: readonly PropertyKey[]): number;
  /** The line of the name of the parameter at a path. */
  keyLineOf(path: readonly PropertyKey[]): number;
  /** The text of the value at a path, as written in the file. */
  textAt(path: readonly PropertyKey[]): string | undefined;
}

/** Parses YAML, which includes JSON. */
export function readSource(text: string): Source {
  const lines = new LineCounter();
  // Repeated keys are detected below, where their path is known. The log level keeps the parser from writing to
  // stderr.
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: false,
    version: '1.2',
    logLevel: 'error',
  });
  const line = (offset: number) => Math.max(1, lines.linePos(offset).line);
  const syntax = [...document.errors, ...document.warnings].map((e) => ({
    line: line(e.pos[0]),
    path: '',
    message: e.code === 'MULTIPLE_DOCS' ? 'the file holds more than one YAML document' : firstLine(e.message),
  }));
  const { value, violations } =
    syntax.length > 0 ? { value: undefined, violations: syntax } : toValue(document);
  return {
    value,
    violations: [...violations, ...repeatedKeys(document, line)],
    lineOf: (path) => line(valueStart(document, path)),
    keyLineOf: (path) => line(keyStart(document, path)),
    textAt(path) {
      const node = document.getIn(path, true);
      const range = isNode(node) ? node.range : undefined;
      return range ? text.slice(range[0], range[1]) : undefined;
    },
  };
}

/** Aliases that expand endlessly are only detected when the tree is converted to a value. */
function toValue(document: Document): { value: unknown; violations: Violation[] } {
  try {
    return { value: unshared(document.toJS({ maxAliasCount: 100 }) ?? {}, []), violations: [] };
  } catch (error) {
    return {
      value: undefined,
      violations: [{ line: 1, path: '', message: firstLine((error as Error).message) }],
    };
  }
}

/** Expands every alias, so that two places of the file have two values. */
function unshared(value: unknown, around: readonly unknown[]): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (around.includes(value)) throw new Error('an alias stands inside what it refers to');
  const inside = [...around, value];
  if (Array.isArray(value)) return value.map((element) => unshared(element, inside));
  return Object.fromEntries(Object.entries(value).map(([key, v]) => [key, unshared(v, inside)]));
}

const firstLine = (message: string) => message.split('\n', 1)[0]!;

function repeatedKeys(document: Document, line: (offset: number) => number): Violation[] {
  const found: Violation[] = [];
  visit(document, {
    Map(_key, map, ancestors) {
      const block = pathOf([...ancestors, map]);
      const seen = new Map<string, number>();
      for (const { key } of map.items) {
        const name = keyOf(key);
        const at = line((key as Node).range?.[0] ?? 0);
        const first = seen.get(name);
        if (first === undefined) seen.set(name, at);
        else
          found.push({
            line: at,
            path: pathText([...block, name]),
            message: `is already set on line ${first}`,
          });
      }
    },
  });
  return found;
}

/** The path along a chain of nodes, each of which contains the next. */
function pathOf(chain: readonly unknown[]): PropertyKey[] {
  return chain.flatMap((node, depth): PropertyKey[] => {
    const next = chain[depth + 1];
    if (isPair(node)) return [keyOf(node.key)];
    return isSeq(node) ? [node.items.indexOf(next)] : [];
  });
}

function valueStart(document: Document, path: readonly PropertyKey[]): number {
  for (let depth = path.length; depth > 0; depth--) {
    const node = document.getIn(path.slice(0, depth), true);
    const start = isNode(node) ? node.range?.[0] : undefined;
    if (start !== undefined) return depth === path.length ? start : keyStart(document, path.slice(0, depth));
  }
  return document.contents?.range?.[0] ?? 0;
}

function keyStart(document: Document, path: readonly PropertyKey[]): number {
  const parent = document.getIn(path.slice(0, -1), true);
  const name = path.at(-1);
  const pair = isMap(parent) ? parent.items.find((i) => keyOf(i.key) === String(name)) : undefined;
  const start = isNode(pair?.key) ? pair.key.range?.[0] : undefined;
  return start ?? valueStart(document, path);
}

function keyOf(key: unknown): string {
  return String(isScalar(key) ? key.value : key);
}
