import { expect, it } from 'vitest';
import { FRAME, FrameReader, frameHeader } from './frames.ts';

const contents = [0, 1, 5, 70_000, 0, 80_000].map((length) =>
  Buffer.from(Uint8Array.from({ length }, (_, i) => i % 251)),
);
const stream = Buffer.concat(
  contents.flatMap((content) => [frameHeader(FRAME.message, content.length), content]),
);

it.each([1, 3, 5, 64 * 1024, stream.length])('frames are the same in reads of %d bytes', (step) => {
  const read: Buffer[] = [];
  const reader = new FrameReader((kind, content) => {
    expect(kind).toBe(FRAME.message);
    read.push(content);
  });
  for (let at = 0; at < stream.length; at += step) reader.push(stream.subarray(at, at + step));
  expect(read).toEqual(contents);
});

it('the content of a frame has a buffer of its own, so that it can be freed', () => {
  const read: Buffer[] = [];
  new FrameReader((_, content) => read.push(content)).push(stream);
  expect(read.map(({ buffer }) => buffer.byteLength)).toEqual(contents.map(({ length }) => length));
});

it('a frame that is too long is refused before memory is taken for it', () => {
  const reader = new FrameReader(() => {});
  expect(() => reader.push(frameHeader(FRAME.message, 2 ** 32 - 1))).toThrow('a frame of 4294967295 bytes');
});
