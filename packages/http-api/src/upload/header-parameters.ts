/** A header value of the form `value; name=token; name="quoted string"`. */
export interface ParameterizedValue {
  /** The value in lower case. */
  readonly value: string;
  /** The parameters by name in lower case; quoted strings are unescaped. */
  readonly parameters: ReadonlyMap<string, string>;
}

const PARAMETER =
  /[ \t]*;[ \t]*(?:([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^";]*)))?/sy;

/**
 * Parses Content-Type and Content-Disposition values; throws an Error that describes what is malformed.
 * A backslash only escapes a quote or a backslash, because some clients send Windows paths unescaped in
 * `filename`.
 * An unquoted value may contain non-token characters, which some clients use in boundaries.
 */
export function parseParameterizedValue(text: string): ParameterizedValue {
  const head = /^[^;]*/.exec(text)![0];
  const parameters = new Map<string, string>();
  const rest = text.trimEnd();
  PARAMETER.lastIndex = head.length;
  while (PARAMETER.lastIndex < rest.length) {
    const start = PARAMETER.lastIndex;
    const match = PARAMETER.exec(rest);
    if (match === null) throw new Error(`malformed parameter at "${rest.slice(start, start + 40)}"`);
    const [, rawName, quoted, bare] = match;
    if (rawName === undefined) continue;
    const name = rawName.toLowerCase();
    if (parameters.has(name)) throw new Error(`parameter "${name}" stands twice`);
    parameters.set(name, quoted === undefined ? bare!.trim() : quoted.replace(/\\(["\\])/g, '$1'));
  }
  return { value: head.trim().toLowerCase(), parameters };
}
