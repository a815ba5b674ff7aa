import { expect, test } from 'vitest';
import { decodePayload, encodeFrame, FrameKind } from './frames.ts';

const HEADER_BYTES = 8;

const roundTrip = (value: unknown): unknown =>
  decodePayload({
    kind: FrameKind.reply,
    payload: encodeFrame(FrameKind.reply, value).subarray(HEADER_BYTES),
  });

const VALUES: readonly unknown[] = [
  { a: 1, b: 'é\u0000', c: [true, null, { d: 'x' }] },
  { text: 'x'.repeat(5_000), number: 0.1, zero: -0, big: 12n },
  { time: new Date(5), names: new Set(['a']), bytes: new Uint8Array([1, 2]) },
  { nested: { error: new RangeError('too large') } },
  { none: undefined, list: [undefined, 1] },
  [1, 2],
  'text',
  undefined,
];

test('every value arrives as it was sent', () => {
  for (const value of VALUES) expect(roundTrip(value)).toEqual(value);
});

test('a value with many members is not converted to one long text', () => {
  const columns = Array.from({ length: 1_000 }, (_, i) => ({ name: `c${i}`, type: { id: 'INTEGER' } }));
  const frame = encodeFrame(FrameKind.reply, { columns });
  expect(frame.toString('latin1', HEADER_BYTES, HEADER_BYTES + 1)).not.toBe('{');
  expect(roundTrip({ columns })).toEqual({ columns });
});
