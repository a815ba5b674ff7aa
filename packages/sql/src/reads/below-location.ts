import { fail, type SqlLocation } from '@tessera/common';

/** Matches `..` as a part of a path, plain or percent-encoded. */
const UPWARDS = /(?:^|[/\\]|%2f|%5c)(?:\.|%2e){2}(?:$|[/\\]|%2f|%5c)/i;

/**
 * The URL of a pattern below a location. A user with access to the location may read below it and nowhere
 * else.
 * @throws TesseraError INVALID_ARGUMENT for a pattern that leads out of it
 */
export function belowLocation(url: string, pattern: string, location?: SqlLocation): string {
  if (UPWARDS.test(pattern)) {
    const message = `The pattern "${pattern}" leaves the location: it must not contain ".."`;
    fail('INVALID_ARGUMENT', { message }, { location });
  }
  return `${url.replace(/\/$/, '')}/${pattern}`;
}
