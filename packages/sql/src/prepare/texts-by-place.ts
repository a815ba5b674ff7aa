import type { BindingSession } from '@tessera/kernel';
import { isForeignTimeText, withKernelTimeText } from '../rewrites/time-texts.ts';
import { isTimeType } from '../text/time-text.ts';
import { type Expression, type Statement, transformTree, walkTree } from '../tree.ts';
import { inferParameters } from './infer-parameters.ts';
import { isOfArrays, isReadDifferently, typedText, typedTogether } from './typed-texts.ts';
import { typeNodeOf } from './untyped-rows.ts';

/**
 * Gives text literals the type that their place in the statement requires, where their text or the catalog does not tell it:
 *     READ_PARQUET('…') WHERE b = '\x00ff'   →   b = '\x00\xff'::BLOB
 * Literals such as `'2024-02-29 12:34:56 +00:00'` get the kernel's spelling where a point in time is required:
 *     at >= '2024-02-29 12:34:56 +00:00'   →   at >= '2024-02-29 12:34:56+00:00'
 * and the words `now`, `today`, `tomorrow` and `yesterday` become what they stand for there. Only the type of `at` decides: if `at` is a
 * text, the literal must keep its blank. So the kernel is asked which type a parameter in this position would have.
 * @param pin replaces a call that reads the clock by the time of the statement
 * @param boundForm returns the form of a statement that `binder` knows
 */
export async function textsByPlace(
  statement: Statement,
  binder: BindingSession,
  boundForm: (statement: Statement) => Promise<Statement>,
  pin: (node: Expression) => Expression,
): Promise<Statement> {
  const names = new Map<Expression, string>();
  const ofArrays = new Set<Expression>();
  let compared = 0;
  walkTree(statement, (node) => {
    if (!('class' in node)) return;
    if (isForeignTimeText(node)) names.set(node, `time_text_${names.size}`);
    const doubtful = typedTogether(node).filter(
      (operand) => !names.has(operand) && isReadDifferently(operand),
    );
    if (doubtful.length === 0) return;
    for (const literal of doubtful) {
      names.set(literal, `text_${compared}`);
      if (isOfArrays(node)) ofArrays.add(literal);
    }
    compared += 1;
  });
  if (names.size === 0) return statement;
  const asked = transformTree(statement, {
    expression: (node) => {
      const identifier = names.get(node);
      if (identifier === undefined) return node;
      const { alias, query_location } = node;
      return { class: 'PARAMETER', type: 'VALUE_PARAMETER', identifier, alias, query_location };
    },
  });
  const types = await inferParameters(binder, await boundForm(asked), (error) => error);
  return transformTree(statement, {
    expression: (node) => {
      const type = types.get(names.get(node) ?? '');
      if (type === undefined) return node;
      if (!isForeignTimeText(node))
        return ofArrays.has(node) && type.id !== 'LIST' ? node : typedText(node, typeNodeOf(type));
      const id = type.id === 'TIMESTAMPTZ' ? 'TIMESTAMP WITH TIME ZONE' : type.id;
      return isTimeType(id) ? transformTree(withKernelTimeText(node, id), { expression: pin }) : node;
    },
  });
}
