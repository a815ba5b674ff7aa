import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from '@swc/core';

/** The only file that may pass Node a delay that is not a constant. */
const HELPER = 'packages/common/src/timers.ts';
const MAX_TIMER_MS = 2 ** 31 - 1;
/** Options of servers and clients that set a timer. */
const OPTIONS = new Set([
  'bodyTimeout',
  'connectTimeout',
  'connectionTimeout',
  'headersTimeout',
  'keepAliveTimeout',
  'requestTimeout',
  'socketTimeout',
]);
const MENTIONS = new RegExp(
  `\\b(setTimeout|setInterval|AbortSignal\\.timeout|timers/promises|${[...OPTIONS].join('|')})\\b`,
);

interface Node {
  readonly type?: string;
  readonly span?: { readonly start: number };
  readonly [field: string]: unknown;
}

/**
 * Returns delays of timers that are neither constants nor passed to `@tessera/common`. Node treats a delay of
 * 2^31 milliseconds or more as one millisecond.
 */
export function timerProblems(root: string, files: readonly string[]): string[] {
  return files
    .filter((file) => /^(packages|bench)\/[^/]+\/src\/.*\.ts$/.test(file) && file !== HELPER)
    .filter((file) => !/\.test\.ts$|\/testing\/|-bench\.ts$|\/generated\//.test(file))
    .flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      return MENTIONS.test(text) ? delaysIn(text).map((problem) => `${file}${problem}`) : [];
    });
}

/** Returns `:<line>: <problem>` for each delay of the source text. */
export function delaysIn(text: string): string[] {
  // Positions are in bytes and continue from the previously parsed text. A tree starts at its first token: the
  // semicolon makes that the start of the text, even if the text begins with a comment.
  const bytes = Buffer.from(`;${text}`);
  const tree = parseSync(bytes.toString(), { syntax: 'typescript' }) as unknown as Node;
  const first = tree.span?.start ?? 0;
  const lineOf = ({ span }: Node) =>
    bytes
      .subarray(0, (span?.start ?? first) - first)
      .toString()
      .split('\n').length;
  const promised = promisedTimers(tree);
  const problems: string[] = [];
  const look = (delay: unknown, name: string, at: Node) => {
    if (isConstant(delay as Node | undefined)) return;
    const instead =
      'give it to startTimer, startInterval, pause, timeoutSignal or timerMs of @tessera/common';
    problems.push(`:${lineOf(at)}: the delay of ${name} is not a constant of less than 2^31 ms: ${instead}`);
  };
  walk(tree, (node) => {
    if (node.type === 'CallExpression') {
      const name = calledName(node.callee as Node);
      const args = node.arguments as { readonly expression: Node }[];
      if (name === 'setTimeout' || name === 'setInterval' || name === 'globalThis.setTimeout')
        look(args[promised.has(name) ? 0 : 1]?.expression, name, node);
      else if (name === 'AbortSignal.timeout' || promised.has(name)) look(args[0]?.expression, name, node);
      else if (name.endsWith('.setTimeout')) look(args[0]?.expression, name, node);
    }
    if (node.type === 'KeyValueProperty') {
      const key = (node.key as Node).value as string;
      if (OPTIONS.has(key)) look(node.value, key, node.key as Node);
    }
    if (node.type === 'ObjectExpression') {
      // `{ headersTimeout }`
      for (const property of node.properties as Node[])
        if (OPTIONS.has(property.value as string)) look(property, property.value as string, property);
    }
    if (node.type === 'AssignmentExpression') {
      const name = calledName(node.left as Node)
        .split('.')
        .at(-1)!;
      if (OPTIONS.has(name)) look(node.right, name, node);
    }
  });
  return problems;
}

/** The local names of setTimeout and setInterval of `node:timers/promises`. */
function promisedTimers(tree: Node): Set<string> {
  const names = new Set<string>();
  for (const item of tree.body as Node[]) {
    if (item.type !== 'ImportDeclaration') continue;
    if (!/^(node:)?timers\/promises$/.test((item.source as Node).value as string)) continue;
    for (const { local, imported } of item.specifiers as { local: Node; imported: Node | null }[]) {
      const name = (imported ?? local).value as string;
      if (name === 'setTimeout' || name === 'setInterval') names.add(local.value as string);
    }
  }
  return names;
}

function calledName(callee: Node): string {
  if (callee.type === 'Identifier') return callee.value as string;
  if (callee.type !== 'MemberExpression') return '';
  const property = callee.property as Node;
  return `${calledName(callee.object as Node)}.${property.value ?? ''}`;
}

/**
 * A number, `CONSTANT`, `CONSTANTS.member`, arithmetic of these, or a delay that `@tessera/common` has limited.
 */
function isConstant(node: Node | undefined): boolean {
  switch (node?.type) {
    // A missing delay is 0.
    case undefined:
      return true;
    case 'NumericLiteral':
      return (node.value as number) <= MAX_TIMER_MS;
    case 'Identifier':
      return isConstantName(node.value as string);
    case 'MemberExpression':
      return isConstant(node.object as Node);
    case 'BinaryExpression':
      return isConstant(node.left as Node) && isConstant(node.right as Node);
    case 'ParenthesisExpression':
      return isConstant(node.expression as Node);
    case 'CallExpression':
      return calledName(node.callee as Node) === 'timerMs';
    default:
      return false;
  }
}

const isConstantName = (name: string): boolean => /^[A-Z][A-Z0-9_]*$/.test(name);

function walk(node: unknown, visit: (node: Node) => void): void {
  if (typeof node !== 'object' || node === null) return;
  if (Array.isArray(node)) {
    for (const part of node) walk(part, visit);
    return;
  }
  if (typeof (node as Node).type === 'string') visit(node as Node);
  for (const part of Object.values(node)) walk(part, visit);
}
