interface Node {
  type?: string;
  children?: readonly Node[];
}

/**
 * Makes one AND or OR of each chain of them, in place: the kernel binds `a OR b OR c` as pairs, as deep as the chain is long.
 * Neither this walk nor the walks over what it leaves then need a call for each link.
 */
export function flattenConjunctions(root: object): void {
  const pending: object[] = [root];
  for (let node = pending.pop() as Node | undefined; node !== undefined; node = pending.pop() as Node) {
    if (isConjunction(node)) node.children = operands(node);
    for (const value of Object.values(node)) {
      if (typeof value === 'object' && value !== null) pending.push(value);
    }
  }
}

/** In their order. */
function operands(conjunction: Node): readonly Node[] {
  const found: Node[] = [];
  const pending = [conjunction];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node !== conjunction && node.type !== conjunction.type) found.push(node);
    else for (const child of [...(node.children ?? [])].reverse()) pending.push(child);
  }
  return found;
}

const isConjunction = ({ type, children }: Node): boolean =>
  (type === 'CONJUNCTION_AND' || type === 'CONJUNCTION_OR') && Array.isArray(children);
