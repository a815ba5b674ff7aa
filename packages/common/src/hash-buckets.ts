/**
 * The number of buckets into which hash values of keys are divided. Exchanges are planned, stored and read by
 * ranges of buckets.
 */
export const HASH_BUCKETS = 1024;
