import { TesseraError } from '@tessera/common';

/**
 * Parses the start-up parameter `options`: `-c name=value`, `-cname=value`, `--name=value`. A backslash
 * escapes the next character.
 * @throws TesseraError INVALID_ARGUMENT
 */
export function startupOptions(text: string): (readonly [string, string])[] {
  const words = [...text.matchAll(/(?:\\.|[^\s\\])+/gs)].map(([word]) => word.replaceAll(/\\(.)/gs, '$1'));
  const parameters: (readonly [string, string])[] = [];
  for (let i = 0; i < words.length; i += 1) {
    const word = words[i]!;
    if (word === '-c') {
      i += 1;
      parameters.push(pair(words[i] ?? ''));
    } else if (word.startsWith('-c')) parameters.push(pair(word.slice(2)));
    else if (word.startsWith('--')) parameters.push(pair(word.slice(2).replaceAll('-', '_')));
    else throw invalid(word);
  }
  return parameters;
}

function pair(text: string): readonly [string, string] {
  const equals = text.indexOf('=');
  if (equals <= 0) throw invalid(text);
  return [text.slice(0, equals), text.slice(equals + 1)];
}

const invalid = (word: string) =>
  TesseraError.of('INVALID_ARGUMENT', {
    message: `Invalid option of a connection: "${word}" (-c name=value)`,
  });
