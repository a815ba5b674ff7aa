/** Hash values of keys are cut into so many buckets: what nodes exchange is planned, stored and read by ranges of them. */
export const HASH_BUCKETS = 1024;
