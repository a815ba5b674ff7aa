/**
 * `number` is bound as BIGINT if it is a safe integer, otherwise as DOUBLE; `bigint` as BIGINT or HUGEINT.
 */
export type KernelValue = null | boolean | number | bigint | string | Uint8Array;
export type KernelParams = readonly KernelValue[] | Readonly<Record<string, KernelValue>>;
