import type { COMPRESSION_METHODS } from '../schema/execution.ts';
import { breachIf, type Rule } from './rule.ts';

type Method = (typeof COMPRESSION_METHODS)[number];

/** The minimum and the maximum level of each method; a method without levels accepts only 0. */
export const COMPRESSION_LEVELS: Readonly<Record<Method, readonly [number, number]>> = {
  none: [0, 0],
  gzip: [0, 9],
  zlib: [0, 9],
  xz: [0, 9],
  zstd: [1, 22],
  brotli: [0, 11],
  lz4: [0, 0],
  snappy: [0, 0],
};

const LEVEL = ['execution', 'hybrid_headers_primary_index_compression_level'];
const METHOD = ['execution', 'hybrid_headers_primary_index_compression_method'];

/** Rule 2. A level that the file omits does not violate it: a method without levels ignores the default. */
export const compressionLevelFitsItsMethod: Rule = ({ config: { execution }, given }) => {
  const method = execution.hybrid_headers_primary_index_compression_method;
  const level = execution.hybrid_headers_primary_index_compression_level;
  const [lowest, highest] = COMPRESSION_LEVELS[method];
  const range = lowest === highest ? `${lowest}` : `${lowest} to ${highest}`;
  return breachIf(
    given(LEVEL) && (level < lowest || level > highest),
    LEVEL,
    `expected ${range} for the method ${method}, got ${level}`,
    [METHOD],
  );
};
