import type { BindingSession } from '@tessera/kernel';
import { type Statement, walkTree } from '../tree.ts';
import { kernelFunctions } from './index-expressions.ts';

/**
 * The first part of a query whose value may change although the tables do not: the name of a function, or
 * `TABLESAMPLE`; undefined if there is none.
 */
export async function unstablePart(query: Statement, session: BindingSession): Promise<string | undefined> {
  const { unstable } = await kernelFunctions(session);
  let found: string | undefined;
  walkTree(query, (node) => {
    if ('class' in node) {
      if (node.class !== 'FUNCTION' && node.class !== 'WINDOW') return;
      const name = node.function_name.toLowerCase();
      if (unstable.has(name)) found ??= name;
    } else if ('sample' in node && node.sample !== null) found ??= 'TABLESAMPLE';
  });
  return found;
}
