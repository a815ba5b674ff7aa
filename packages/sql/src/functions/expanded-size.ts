import { fail } from '@tessera/common';
import {
  type Expression,
  isExpression,
  isQueryNode,
  type QueryNode,
  type Statement,
  visitChildren,
} from '../tree.ts';
import { MACROS } from './registry.ts';

/**
 * The kernel writes out macros, BETWEEN and the aliases of a SELECT list when it binds a statement: an argument that a macro
 * uses twice is bound twice, so `f(f(f(x)))` has eight `x`. No interrupt ends that. It binds 30,000 to 100,000 parts of
 * expressions in a second.
 */
const MAX_COPIED_PARTS = 200_000;

/** How often the macros of the kernel, and that of a division, use their arguments. */
const OTHER_MACROS: Readonly<Record<string, readonly number[]>> = {
  tsr_divisor: [2, 1],
  nullif: [2, 1],
  fmod: [2, 2],
  array_to_string: [2, 1],
  split_part: [3, 3, 3],
  round_even: [3, 3],
  roundbankers: [3, 3],
  weighted_avg: [2, 1],
  wavg: [2, 1],
  json_group_array: [2],
  json_group_object: [1, 2],
};

/** The kernel writes a call of a macro out as the macro's own parts, of which this counts the number, and copies of the arguments. */
interface Expansion {
  readonly own: number;
  /** How often each argument is copied. */
  readonly uses: readonly number[];
}

const NOTHING: Expansion = { own: 1, uses: [] };
const expansions = new Map<string, Expansion>();

/** The largest expansion of the overloads of a macro; undefined for another function. */
function expansionOf(name: string): Expansion | undefined {
  const known = expansions.get(name);
  if (known !== undefined) return known;
  const uses = OTHER_MACROS[name];
  const overloads = MACROS.get(name);
  if (uses === undefined && overloads === undefined) return undefined;
  // A macro cannot call itself.
  expansions.set(name, NOTHING);
  const found = uses === undefined ? largest(overloads!.map(expansionOfBody)) : { own: 4, uses };
  expansions.set(name, found);
  return found;
}

const largest = (some: readonly Expansion[]): Expansion => ({
  own: Math.max(...some.map(({ own }) => own)),
  uses: Array.from({ length: Math.max(...some.map(({ uses }) => uses.length)) }, (_, i) =>
    Math.max(...some.map(({ uses }) => uses[i] ?? 0)),
  ),
});

const OVERLOAD = /^\s*\(([^)]*)\)\s+AS\s+([\s\S]*)$/;
const PARTS = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\.?\b[A-Za-z_]\w*|\d[\w.]*|\S/g;

/** Counts the parts of `(a, b) AS body`, with those of the macros that the body calls. */
function expansionOfBody(overload: string): Expansion {
  const [, list = '', body = ''] = OVERLOAD.exec(overload) ?? [];
  const parameters = list.split(',').map((one) => one.trim().split(/\W/)[0]!);
  const uses = parameters.map(() => 0);
  let own = 0;
  /** The open brackets: how often what stands in them is used, and the macro whose arguments they contain. */
  const open: { readonly times: number; readonly macro: Expansion | undefined; argument: number }[] = [];
  const times = (): number => {
    const last = open.at(-1);
    return last === undefined ? 1 : last.times * (last.macro?.uses[last.argument] ?? 1);
  };
  let before: Expansion | undefined;
  for (const [part] of body.matchAll(PARTS)) {
    const called = before;
    before = undefined;
    if (/^[([{]$/.test(part)) open.push({ times: times(), macro: called, argument: 0 });
    else if (/^[)\]}]$/.test(part)) open.pop();
    else if (part === ',') {
      const last = open.at(-1);
      if (last !== undefined) last.argument += 1;
    } else if (/^[\w'"]/.test(part)) {
      const parameter = parameters.indexOf(part);
      if (parameter >= 0) uses[parameter]! += times();
      else {
        before = expansionOf(part);
        own += times() * (before?.own ?? 1);
      }
    }
  }
  return { own: Math.max(own, 1), uses };
}

/**
 * Returns a statement in the kernel's terms.
 * @throws TesseraError STATEMENT_TOO_COMPLEX if the kernel would copy too many of its parts
 */
export function withinSize(statement: Statement): Statement {
  new ExpandedSize().of(statement, new Map());
  return statement;
}

function refuse(): never {
  return fail('STATEMENT_TOO_COMPLEX', {
    what: 'parts of expressions, where what functions evaluate several times is counted as often',
    limit: MAX_COPIED_PARTS,
    hint: 'Nest fewer calls: compute the inner ones in a subquery',
  });
}

type Aliases = ReadonlyMap<string, number>;

/** Counts the parts of expressions as the kernel writes them out. */
class ExpandedSize {
  #copied = 0;

  of(node: unknown, aliases: Aliases): number {
    if (node === null || typeof node !== 'object') return 0;
    if (isQueryNode(node)) return this.#ofQuery(node);
    return isExpression(node) ? this.#ofExpression(node, aliases) : this.#sum(node, aliases);
  }

  #sum(node: object, aliases: Aliases): number {
    let total = 0;
    visitChildren(node, (child) => {
      total += this.of(child, aliases);
    });
    return total;
  }

  #ofExpression(node: Expression, aliases: Aliases): number {
    switch (node.class) {
      case 'CONSTANT':
        return 1;
      case 'COLUMN_REF': {
        const [name, ...more] = node.column_names;
        return more.length === 0 ? this.#copy(1, aliases.get(name!.toLowerCase()) ?? 1) : 1;
      }
      case 'BETWEEN': {
        const { input, ...others } = node;
        const size = this.of(input, aliases);
        return 1 + size + this.#copy(1, size) + this.#sum(others, aliases);
      }
      case 'FUNCTION': {
        const { children, ...others } = node;
        const { own, uses } = expansionOf(node.function_name) ?? NOTHING;
        let total = own + this.#sum(others, aliases);
        for (const [i, child] of children.entries()) {
          const size = this.of(child, aliases);
          total += size + this.#copy((uses[i] ?? 1) - 1, size);
        }
        return total;
      }
      default:
        return 1 + this.#sum(node, aliases);
    }
  }

  /** Every part of a query may name the items of its SELECT list by their aliases, also the later items. */
  #ofQuery(node: QueryNode): number {
    if (node.type !== 'SELECT_NODE') return this.#sum(node, new Map());
    const { select_list, ...others } = node;
    const aliases = new Map<string, number>();
    let total = 0;
    for (const item of select_list) {
      const size = this.of(item, aliases);
      if (item.alias !== '') aliases.set(item.alias.toLowerCase(), size);
      total += size;
    }
    return total + this.#sum(others, aliases);
  }

  /** Copies of names and literals are not counted, because their number grows only with the length of the statement. */
  #copy(times: number, size: number): number {
    if (size > 1 && times > 0) this.#copied += times * size;
    if (this.#copied > MAX_COPIED_PARTS) refuse();
    return times * size;
  }
}
