import { fail } from '@tessera/common';
import { isPattern } from './glob.ts';

/** Prefixes of object URLs, compared by bucket and whole segments of keys. */
export class ObjectAllowList {
  readonly #prefixes: readonly ObjectUrl[];

  /** @throws INVALID_ARGUMENT if a prefix is not an object URL */
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

/** The value of the flag that would permit `url`, for messages. */
export function permittingPrefix(url: ObjectUrl): string {
  return objectUrlText({ ...url, key: '' });
}

/** The complete segments before the first pattern. */
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

const OBJECT_SCHEMES = ['s3', 'gs', 'azure'] as const;
export type ObjectScheme = (typeof OBJECT_SCHEMES)[number];

/** `s3://bucket/key`, `gs://bucket/key`, `azure://account/container/key`. The key is used as it is written. */
export interface ObjectUrl {
  readonly scheme: ObjectScheme;
  /** The name of the bucket; for Azure, `account/container`. */
  readonly bucket: string;
  /** May be empty, or a pattern. */
  readonly key: string;
}

export function isObjectScheme(scheme: string): scheme is ObjectScheme {
  return OBJECT_SCHEMES.some((one) => one === scheme);
}

/** @throws INVALID_ARGUMENT */
export function parseObjectUrl(text: string): ObjectUrl {
  const [, scheme = '', rest = ''] = /^([a-z0-9]+):\/\/(.*)$/is.exec(text) ?? [];
  const lower = scheme.toLowerCase();
  if (isObjectScheme(lower)) {
    const bucketSegments = lower === 'azure' ? 2 : 1;
    const segments = rest.split('/');
    const bucket = segments.slice(0, bucketSegments);
    if (
      bucket.length === bucketSegments &&
      bucket.every((name) => /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name))
    ) {
      return { scheme: lower, bucket: bucket.join('/'), key: segments.slice(bucketSegments).join('/') };
    }
  }
  const shape = lower === 'azure' ? 'azure://account/container/key' : `${lower || 's3'}://bucket/key`;
  return fail('INVALID_ARGUMENT', { message: `${text}: expected ${shape}` });
}

export function objectUrlText({ scheme, bucket, key }: ObjectUrl): string {
  return `${scheme}://${bucket}/${key}`;
}
