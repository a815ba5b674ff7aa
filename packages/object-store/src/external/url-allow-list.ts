import { fail } from '@tessera/common';

interface Prefix {
  readonly origin: string;
  /** Path segments; a URL must begin with all of them. */
  readonly segments: readonly string[];
}

/**
 * URL prefixes, compared by origin and whole path segments, so that neither a longer host name nor user info
 * matches.
 */
export class UrlAllowList {
  readonly #prefixes: readonly Prefix[];

  constructor(prefixes: readonly string[]) {
    this.#prefixes = prefixes.map(parsePrefix);
  }

  /** Throws LOCATION_NOT_ALLOWED unless `url` is under a prefix. */
  check(url: URL): void {
    const segments = pathSegments(url);
    // A server may decode %2f and %5c before it resolves `..`, and thereby leave the prefix that was checked.
    if (segments.some((segment) => decoded(segment).split(/[/\\]/).includes('..'))) {
      fail('LOCATION_NOT_ALLOWED', {
        url: printableUrl(url),
        reason: 'its path hides ".." in an encoded segment',
      });
    }
    const under = this.#prefixes.some(
      (prefix) =>
        prefix.origin === url.origin &&
        prefix.segments.every((segment, index) => segments[index] === segment),
    );
    if (!under) {
      fail('LOCATION_NOT_ALLOWED', {
        url: printableUrl(url),
        reason: `the engine must be started with --allow-url ${url.origin}/ or a longer prefix of it`,
      });
    }
  }
}

/**
 * The URL in a form that errors and logs may show: without user info, and without the query, which may contain
 * signatures and tokens.
 */
export function printableUrl(url: URL): string {
  return `${url.origin}${url.pathname}${url.search === '' ? '' : '?…'}`;
}

function parsePrefix(text: string): Prefix {
  const url = URL.parse(text);
  const plain =
    url !== null &&
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    url.username === '' &&
    url.password === '' &&
    url.search === '' &&
    url.hash === '';
  if (!plain) {
    return fail('INVALID_ARGUMENT', {
      message: `--allow-url expects http(s)://host[:port]/path without user, query or fragment, got "${text}"`,
    });
  }
  const segments = pathSegments(url);
  return { origin: url.origin, segments: segments.at(-1) === '' ? segments.slice(0, -1) : segments };
}

function pathSegments(url: URL): readonly string[] {
  return url.pathname.split('/').slice(1);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
