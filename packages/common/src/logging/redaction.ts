const SECRET_KEY =
  /^(authorization|proxy-authorization|cookie|set-cookie|password|passwd|secret|client_?secret|token|(access|refresh|id|session|cluster)_?token|private_?key|secret_?(access_?)?key|api_?key|credentials?)$/i;

/** Secrets inside running text, and what is left of them. */
const SECRET_TEXT: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]+/gi, '$1 [redacted]'],
  [/-----BEGIN ([A-Z ]*)PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g, '[redacted key]'],
  [/(:\/\/[^/\s:@"]*):[^/\s@"]+@/g, '$1:[redacted]@'],
];
const MAX_DEPTH = 6;

/** A copy of a log record in which the value of every key that names a secret is `[redacted]`. */
export function redactKeys(record: Record<string, unknown>): Record<string, unknown> {
  return walk(record, 0) as Record<string, unknown>;
}

function walk(value: unknown, depth: number): unknown {
  if (Array.isArray(value)) return depth < MAX_DEPTH ? value.map((v) => walk(v, depth + 1)) : '[…]';
  if (value === null || typeof value !== 'object' || !isPlain(value)) return value;
  if (depth >= MAX_DEPTH) return '{…}';
  return Object.fromEntries(
    Object.entries(value).map(([k, v]) => [k, SECRET_KEY.test(k) ? '[redacted]' : walk(v, depth + 1)]),
  );
}

/** Errors, dates, maps have their own way into JSON; only plain data is walked. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/** A finished log line without bearer tokens, private keys and passwords in URLs. */
export function redactText(line: string): string {
  return SECRET_TEXT.reduce((text, [secret, left]) => text.replace(secret, left), line);
}
