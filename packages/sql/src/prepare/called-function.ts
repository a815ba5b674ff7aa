import { TesseraError } from '@tessera/common';
import { replacedFunction } from '../functions/rewrite-function.ts';
import { JSON_OPERATORS } from '../text/json-operators.ts';
import { tokenize, Word } from '../text/lexer.ts';
import { locationAt } from '../text/location.ts';

/** The function or operator that an error names, or none if the error is about some function for arrays. */
const SUBJECT =
  /^(?:Function (\w+)(\(.*)?|Operator (?:.+? )??([^\w\s(),]+|I?LIKE)) |^A function for arrays /s;

/** The operators of documents by the names that the kernel knows them by. */
const WRITTEN_OPERATORS: ReadonlyMap<string, string> = new Map(
  Object.entries(JSON_OPERATORS).map(([written, read]) => [read, written]),
);

/**
 * A dialect function that the kernel does not have is made of other functions, and the kernel's error names one of them:
 * `array_contains('a', 'b')` fails in `list_aggr`. If the statement does not contain the function that the error names, and
 * calls only one function that may have used it, the error is about that call.
 */
export function aboutCalledFunction(error: TesseraError, text: string): TesseraError {
  const isAboutCall = error.name === 'UNDEFINED_FUNCTION' || error.name === 'AMBIGUOUS_FUNCTION';
  const subject = isAboutCall ? SUBJECT.exec(error.message) : null;
  if (subject === null) return error;
  const [, name, types, operator] = subject;
  const symbol = WRITTEN_OPERATORS.get(operator ?? '');
  if (symbol !== undefined) return error.with({ message: error.message.replace(operator!, symbol) });
  const tokens = tokenize(text);
  // Only the lists of arguments of such a function can be unknown to the kernel, not its name.
  const isKnown = name !== undefined && types === undefined && replacedFunction(name) !== undefined;
  const written = name === 'subscript' ? '[' : (name ?? operator)?.toLowerCase();
  if (!isKnown && tokens.some(({ image }) => image.toLowerCase() === written)) return error;
  const [call, another] = tokens.filter(
    (token, i) =>
      token.tokenType === Word && tokens[i + 1]?.image === '(' && replacedFunction(token.image) !== undefined,
  );
  if (call === undefined || another !== undefined) return error;
  const { signatures } = replacedFunction(call.image)!;
  const end = call.startOffset + call.image.length;
  const message = `${call.image.toLowerCase()} cannot be called with these arguments: ${signatures.join(', ')}`;
  const { resolution, cause } = error;
  const location = locationAt(text, call.startOffset, end);
  return TesseraError.of('UNDEFINED_FUNCTION', { message }, { location, resolution, cause });
}
