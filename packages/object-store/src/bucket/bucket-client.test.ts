import { expect, it } from 'vitest';
import { type BucketClient, copyBody } from './bucket-client.ts';

const OBJECT = Buffer.from(Uint8Array.from({ length: 3_000_000 }, (_, i) => i % 251));

/** A bucket that ignores ranges, as some servers do. Its first body breaks off after a number of bytes. */
function bucketOf(breaksOffAt = OBJECT.length, etagOf = (_read: number) => 'e') {
  let reads = 0;
  const starts: (number | undefined)[] = [];
  const read: BucketClient['read'] = async (_, { range }) => {
    starts.push(range?.start);
    const sent = OBJECT.subarray(0, reads++ === 0 ? breaksOffAt : OBJECT.length);
    async function* stream() {
      for (let at = 0; at < sent.length; at += 100_000) yield Buffer.from(sent.subarray(at, at + 100_000));
    }
    return { etag: etagOf(reads), offset: 0, bytes: OBJECT.length, stream: stream() };
  };
  return { client: { read } as Partial<BucketClient> as BucketClient, reads: () => reads, starts };
}

it.each([
  [0, 3_000_000, [0, 1 << 20]],
  [150_001, 2_500_000, [150_001, 150_001 + (1 << 20)]],
  [5, 9, [5]],
])(
  'bytes %d to %d arrive once, in order and in pieces, although the first body breaks off',
  async (start, end, requested) => {
    const { client, starts } = bucketOf(1_300_000);
    const copy = Buffer.alloc(OBJECT.length);
    let next = start;
    const take = async (bytes: Buffer, position: number) => {
      expect(bytes.length).toBeLessThanOrEqual(1 << 20);
      expect(position).toBe(next);
      next += bytes.copy(copy, position);
    };
    expect(await copyBody(client, 'key', { range: { start, end } }, take)).toBe('e');
    expect(copy.subarray(start, end).equals(OBJECT.subarray(start, end))).toBe(true);
    // Only what is missing is requested again.
    expect(starts).toEqual(requested);
  },
);

it('an object is not read again if its receiver fails', async () => {
  const { client, reads } = bucketOf();
  const take = async () => {
    throw new Error('the disk is full');
  };
  const copied = copyBody(client, 'key', { range: { start: 0, end: OBJECT.length } }, take);
  await expect(copied).rejects.toThrow('the disk is full');
  expect(reads()).toBe(1);
});

it('pieces of an object that was replaced after its body broke off are not joined', async () => {
  const { client } = bucketOf(1_300_000, String);
  const copied = copyBody(client, 'key', { range: { start: 0, end: OBJECT.length } }, async () => {});
  await expect(copied).rejects.toThrow('the object was replaced while it was read');
});
