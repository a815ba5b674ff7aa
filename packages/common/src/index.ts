export * from './cancellation.ts';
export * from './error-table.ts';
export * from './errors.ts';
export * from './file-exposure.ts';
export * from './hash-buckets.ts';
export * from './ids.ts';
export * from './logging/index.ts';
export * from './nearest-name.ts';
