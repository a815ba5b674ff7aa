/** Matches keys of a JSON line whose value is a secret, with the string that is their value. */
const SECRET_VALUE =
  /("(?:proxy-)?(?:authorization|(?:set-)?cookie|(?:[\w-]*[_-])?(?:passw(?:or)?d|secret|token|credentials?)|(?:private|secret|access|api)[_-]?(?:access[_-]?)?key|\w+(?:Password|Secret|Token))":)"(?:[^"\\]|\\.)*"/gi;

/** Matches secrets inside texts, each with the text that replaces it. */
const SECRET_TEXT: readonly (readonly [RegExp, string])[] = [
  [SECRET_VALUE, '$1"[redacted]"'],
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]+/gi, '$1 [redacted]'],
  [/-----BEGIN ([A-Z ]*)PRIVATE KEY-----.*?(-----END [A-Z ]*PRIVATE KEY-----|(?="|$))/g, '[redacted key]'],
  [/(:\/\/[^/\s:@"]*):[^/\s@"]+@/g, '$1:[redacted]@'],
];

/**
 * Removes passwords, tokens, private keys and passwords in URLs from a finished line of JSON. It works on the
 * line because everything ends up there: the record, the fields of child loggers, the properties of errors.
 */
export function redact(line: string): string {
  return SECRET_TEXT.reduce((text, [secret, left]) => text.replace(secret, left), line);
}
