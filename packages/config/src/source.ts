import { type Document, isMap, isNode, LineCounter, type Node, parseDocument } from 'yaml';
import type { Violation } from './config-error.ts';

/** The text of a configuration file: what it says, and on which line. */
export interface Source {
  readonly value: unknown;
  readonly violations: readonly Violation[];
  /** Line of the value at a path, or of the innermost block around it that is in the file. */
  lineOf(path: readonly PropertyKey[]): number;
  /** Line of the key at a path: where a parameter is named, which is above its value when that is a block. */
  keyLineOf(path: readonly PropertyKey[]): number;
  /** How the value stands in the file, for a short scalar. */
  textAt(path: readonly PropertyKey[]): string | undefined;
}

/** Reads YAML, of which JSON is a part. Violations are those of the syntax; the value is then not to be used. */
export function readSource(text: string): Source {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, version: '1.2' });
  const line = (offset: number) => Math.max(1, lines.linePos(offset).line);
  const violations = document.errors.map((e) => ({
    line: line(e.pos[0]),
    path: '',
    message: e.code === 'DUPLICATE_KEY' ? duplicateKey(document, text, e.pos[0]) : firstLine(e.message),
  }));
  return {
    value: violations.length === 0 ? toValue(document, violations) : undefined,
    violations,
    lineOf: (path) => line(valueStart(document, path)),
    keyLineOf: (path) => line(keyStart(document, path)),
    textAt(path) {
      const node = document.getIn(path, true);
      const range = isNode(node) ? node.range : undefined;
      return range ? text.slice(range[0], range[1]) : undefined;
    },
  };
}

/** An alias that expands without end is the one fault that shows only when the tree becomes a value. */
function toValue(document: Document, violations: Violation[]): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    violations.push({ line: 1, path: '', message: firstLine((error as Error).message) });
    return undefined;
  }
}

const firstLine = (message: string) => message.split('\n', 1)[0]!;

function duplicateKey(_document: Document, text: string, offset: number): string {
  const key = /^[^\s:]+/.exec(text.slice(offset))?.[0] ?? '';
  return `${key}: is given twice in this block`;
}

function valueStart(document: Document, path: readonly PropertyKey[]): number {
  for (let depth = path.length; depth > 0; depth--) {
    const start = (document.getIn(path.slice(0, depth), true) as Node | undefined)?.range?.[0];
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
  return String(isNode(key) && 'value' in key ? key.value : key);
}
