/** Keys whose value is a secret, as they stand in a line of JSON; the value is a string with its escapes. */
const SECRET_VALUE =
  /("(?:proxy-)?(?:authorization|(?:set-)?cookie|(?:[\w-]*[_-])?(?:passw(?:or)?d|secret|token|credentials?)|(?:private|secret|access|api)[_-]?(?:access[_-]?)?key|\w+(?:Password|Secret|Token))":)"(?:[^"\\]|\\.)*"/gi;

/** Secrets inside running text, and what is left of them. */
const SECRET_TEXT: readonly (readonly [RegExp, string])[] = [
  [SECRET_VALUE, '$1"[redacted]"'],
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]+/gi, '$1 [redacted]'],
  [/-----BEGIN ([A-Z ]*)PRIVATE KEY-----.*?(-----END [A-Z ]*PRIVATE KEY-----|(?="|$))/g, '[redacted key]'],
  [/(:\/\/[^/\s:@"]*):[^/\s@"]+@/g, '$1:[redacted]@'],
];

/**
 * A finished line of JSON without passwords, tokens, private keys and passwords in URLs. It works on the line because
 * that is where everything comes together: the record, the fields of child loggers, the properties of errors.
 */
export function redact(line: string): string {
  return SECRET_TEXT.reduce((text, [secret, left]) => text.replace(secret, left), line);
}
