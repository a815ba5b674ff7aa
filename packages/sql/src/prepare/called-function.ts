import { nearestName, TesseraError } from '@tessera/common';
import { DIALECT_FUNCTIONS } from '../functions/registry.ts';
import { replacedFunction } from '../functions/rewrite-function.ts';
import { POSTGRES_FUNCTIONS } from '../postgres/functions.ts';
import { JSON_OPERATORS } from '../text/json-operators.ts';
import { tokenize, Word } from '../text/lexer.ts';
import { locationAt } from '../text/location.ts';

/** The function or operator that an error names, or none if the error is about some function for arrays or texts. */
const SUBJECT =
  /^(?:Function (\w+)(\(.*|:.*)?|Operator (?:.+? )??([^\w\s(),]+|I?LIKE)) |^A function for arrays |^length, octet_length, /s;

const MISSPELT = /^Function \w+ does not exist \(did you mean \w+\?\)$/;

/** The operators of documents by the names that the kernel knows them by. */
const WRITTEN_OPERATORS: ReadonlyMap<string, string> = new Map(
  Object.entries(JSON_OPERATORS).map(([written, read]) => [read, written]),
);

const NAMES: readonly string[] = [
  ...DIALECT_FUNCTIONS.flatMap(({ name, aliases = [] }) => [name, ...aliases]),
  ...Object.keys(POSTGRES_FUNCTIONS),
];

/** More functions than this are not listed. */
const MAX_NAMED = 3;

/** Whether calls of a function become calls of others. */
const isReplaced = (name: string): boolean =>
  replacedFunction(name) !== undefined || Object.hasOwn(POSTGRES_FUNCTIONS, name.toLowerCase());

/**
 * A dialect function that the kernel does not have is made of other functions, and the kernel's error names one of them:
 * `array_contains('a', 'b')` fails in `list_aggr`. If the statement does not contain the function that the error names, the error is
 * about a call of one of the functions that may have used it. The kernel suggests its own functions for an unknown one; the dialect's
 * replace them.
 */
export function aboutCalledFunction(error: TesseraError, text: string): TesseraError {
  if (error.name !== 'UNDEFINED_FUNCTION' && error.name !== 'AMBIGUOUS_FUNCTION') return error;
  const subject = SUBJECT.exec(error.message);
  if (subject === null) return error;
  const [, name, types, operator] = subject;
  const symbol = WRITTEN_OPERATORS.get(operator ?? '');
  if (symbol !== undefined) return error.with({ message: error.message.replace(operator!, symbol) });
  const tokens = tokenize(text);
  // Only the lists of arguments of such a function can be unknown to the kernel, not its name.
  const isKnown = name !== undefined && types === undefined && isReplaced(name);
  const written = name === 'subscript' ? '[' : (name ?? operator)?.toLowerCase();
  if (!isKnown && tokens.some(({ image }) => image.toLowerCase() === written))
    return MISSPELT.test(error.message) ? withSuggestion(error, name!) : error;
  const calls = tokens.filter(
    (token, i) => token.tokenType === Word && tokens[i + 1]?.image === '(' && isReplaced(token.image),
  );
  const names = [...new Set(calls.map(({ image }) => image.toLowerCase()))];
  if (names.length === 0 || names.length > MAX_NAMED) return error;
  const signatures = names.length === 1 ? (replacedFunction(names[0]!)?.signatures ?? []) : [];
  const forms = signatures.length === 0 ? '' : `: ${signatures.join(', ')}`;
  const message = `${names.join(' or ')} cannot be called with these arguments${forms}`;
  const { resolution, cause } = error;
  const [call, another] = calls;
  const location =
    another === undefined
      ? locationAt(text, call!.startOffset, call!.startOffset + call!.image.length)
      : undefined;
  return TesseraError.of('UNDEFINED_FUNCTION', { message }, { location, resolution, cause });
}

function withSuggestion(error: TesseraError, name: string): TesseraError {
  const nearest = nearestName(name, NAMES);
  const suggestion = nearest === undefined ? '' : ` (did you mean ${nearest}?)`;
  return error.with({ message: `Function ${name} does not exist${suggestion}` });
}
