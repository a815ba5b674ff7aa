import { newUlid } from '@tessera/common';
import { expect, test } from 'vitest';
import { ulidTimeOf } from './garbage.ts';

test('the time of the ULID that a name ends with', () => {
  expect(ulidTimeOf('tablets/t/01ARYZ6S41TSV4RRFFQ69G5FAV.parquet')).toBe(1469918176385);
  expect(ulidTimeOf('s3://bucket/dv/x/01ARYZ6S41TSV4RRFFQ69G5FAV.bin')).toBe(1469918176385);
  expect(ulidTimeOf('01aryz6s41tsv4rrffq69g5fav')).toBe(1469918176385);
  const before = Date.now();
  const time = ulidTimeOf(`tablets/t/${newUlid()}.parquet`)!;
  expect(time).toBeGreaterThanOrEqual(before);
  expect(time).toBeLessThanOrEqual(Date.now());
});

test('names without one have no time', () => {
  expect(ulidTimeOf('tablets/01ARYZ6S41TSV4RRFFQ69G5FAV/x.parquet')).toBeUndefined();
  expect(ulidTimeOf('tablets/t/91ARYZ6S41TSV4RRFFQ69G5FAV.parquet')).toBeUndefined();
  expect(ulidTimeOf('tablets/t/x01ARYZ6S41TSV4RRFFQ69G5FAV')).toBeUndefined();
});
