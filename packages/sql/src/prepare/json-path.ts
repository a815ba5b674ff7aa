import { fail } from '@tessera/common';
import { internalCall, isNullLiteral, listType } from '../functions/expressions.ts';
import { cast, constant, type Expression, stringLiteral } from '../tree.ts';

/** A step of an SQL/JSON path: a key of objects, a position in arrays, or all items of arrays. */
type Step = { readonly key: string } | { readonly position: number } | 'items';

const STEP = /\s*(?:\.\s*(?:([A-Za-z_$][\w$]*)|("(?:[^"\\]|\\.)*"))|\[\s*(?:(\d+)|\*)\s*\])/y;

/**
 * The list of the parts of a document that an SQL/JSON path finds, each as the text of a held document; NULL if the document or the path is.
 * As in PostgreSQL's `lax` mode, a key is looked up in the items of an array, and a value that is no array is an array of itself.
 * @throws TesseraError NOT_SUPPORTED for paths with filters, methods, ranges, `strict`, and for paths that are not constant
 */
export function partsAtPath(document: Expression, path: Expression): Expression {
  if (isNullLiteral(path)) return cast(constant(null), listType('VARCHAR'));
  return stepsOf(path).reduce(
    (parts: Expression, step) => {
      if (step === 'items') return internalCall('json_path_items', parts);
      return 'key' in step
        ? internalCall('json_path_key', parts, constant(step.key))
        : internalCall('json_path_position', parts, constant(step.position));
    },
    internalCall('json_path_start', document),
  );
}

function stepsOf(path: Expression): readonly Step[] {
  const text = literalPath(path);
  const start = /^\s*(?:lax\s+)?\$/.exec(text ?? '');
  if (text === undefined || start === null) return refuse();
  const steps: Step[] = [];
  STEP.lastIndex = start[0].length;
  while (STEP.lastIndex < text.trimEnd().length) {
    const [, name, quoted, position] = STEP.exec(text) ?? refuse();
    const key = quoted === undefined ? name : (JSON.parse(quoted) as string);
    if (key !== undefined) steps.push({ key });
    else steps.push(position === undefined ? 'items' : { position: Number(position) });
  }
  return steps;
}

const literalPath = (path: Expression): string | undefined =>
  path.class === 'CAST' ? literalPath(path.child) : stringLiteral(path);

const refuse = (): never =>
  fail('NOT_SUPPORTED', {
    what: 'An SQL/JSON path other than a constant of keys and positions ($.a."b c"[0][*])',
    hint: 'take the parts apart with ->, jsonb_array_elements and WHERE',
  });
