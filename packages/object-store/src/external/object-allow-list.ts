import { isPattern } from './glob.ts';
import { type ObjectUrl, objectUrlText, parseObjectUrl } from './object-url.ts';

/** Prefixes of object URLs, compared by bucket and whole segments of keys. */
export class ObjectAllowList {
  readonly #prefixes: readonly ObjectUrl[];

  /** @throws INVALID_ARGUMENT for a prefix that is no object URL */
  constructor(prefixes: readonly string[]) {
    this.#prefixes = prefixes.map(parseObjectUrl);
  }

  /** Whether the object, or every object that the pattern can match, is under a prefix. */
  permits(url: ObjectUrl): boolean {
    return this.#prefixes.some(
      (prefix) =>
        prefix.scheme === url.scheme && prefix.bucket === url.bucket && isUnder(literal(url.key), prefix.key),
    );
  }
}

/** The value for the flag that would permit `url`, for messages. */
export function permittingPrefix(url: ObjectUrl): string {
  return objectUrlText({ ...url, key: '' });
}

/** The whole segments before the first that is a pattern. */
function literal(key: string): string {
  const segments = key.split('/');
  const first = segments.findIndex(isPattern);
  return first < 0
    ? key
    : segments
        .slice(0, first)
        .map((segment) => `${segment}/`)
        .join('');
}

function isUnder(key: string, prefix: string): boolean {
  return prefix === '' || key === prefix || key.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`);
}
