import { fail } from '@tessera/common';

interface Prefix {
  readonly origin: string;
  /** Path segments; a URL must begin with all of them, whole. */
  readonly segments: readonly string[];
}

/** URL prefixes, compared by origin and whole path segments, so that no longer host name or user info passes. */
export class UrlAllowList {
  readonly #prefixes: readonly Prefix[];

  constructor(prefixes: readonly string[]) {
    this.#prefixes = prefixes.map(parsePrefix);
  }

  /** Throws LOCATION_NOT_ALLOWED unless `url` is under a prefix. */
  check(url: URL): void {
    const segments = pathSegments(url);
    // A server may decode %2f and %5c before it resolves `..`, and so leave the prefix that we checked.
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

/** The URL as errors and logs may show it: no user info, and no query, where signatures and tokens stand. */
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
