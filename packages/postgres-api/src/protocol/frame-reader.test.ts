import { TesseraError } from '@tessera/common';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Frame, FrameReader } from './frame-reader.ts';
import { readFrontendMessage } from './frontend-message.ts';
import { MessageWriter } from './message-writer.ts';
import { readStartupPacket } from './startup-packet.ts';

const HOW = { typed: true, limit: 1 << 16 };

const bytes = fc.uint8Array({ maxLength: 400 }).map((array) => Buffer.from(array));
const frames = fc.array(fc.record({ type: fc.integer({ min: 1, max: 255 }), body: bytes }), {
  maxLength: 20,
});

const encoded = ({ type, body }: Frame): Buffer =>
  new MessageWriter(String.fromCharCode(type)).bytes(body).done();

/** Splits a buffer at the given places, taken modulo its length. */
function pieces(all: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set(cuts.map((cut) => cut % (all.length + 1)))].toSorted((a, b) => a - b);
  return [0, ...places].map((place, i) => all.subarray(place, places[i] ?? all.length));
}

it('yields the messages of a stream, wherever it is divided', () => {
  fc.assert(
    fc.property(frames, fc.array(fc.nat()), (sent, cuts) => {
      const reader = new FrameReader();
      const received: Frame[] = [];
      for (const piece of pieces(Buffer.concat(sent.map(encoded)), cuts)) {
        reader.push(piece);
        for (let frame = reader.take(HOW); frame !== undefined; frame = reader.take(HOW)) {
          received.push({ type: frame.type, body: Buffer.from(frame.body) });
        }
      }
      expect(received).toEqual(sent);
      expect(reader.buffered).toBe(0);
    }),
  );
});

it('refuses invalid lengths before their bytes arrive', () => {
  for (const length of [-1, 0, 3, HOW.limit + 1]) {
    const reader = new FrameReader();
    const head = Buffer.alloc(5, 'Q');
    head.writeInt32BE(length, 1);
    reader.push(head);
    expect(() => reader.take(HOW)).toThrow(`Invalid length of a message: ${length}`);
  }
});

it('garbage always yields a message or a TesseraError', () => {
  const letters = [...'QPBDCEHSXFdcfp'].map((letter) => letter.charCodeAt(0));
  fc.assert(
    fc.property(fc.constantFrom(...letters), bytes, (type, body) => {
      try {
        readFrontendMessage({ type, body });
      } catch (error) {
        expect(error).toBeInstanceOf(TesseraError);
      }
    }),
    { numRuns: 2_000 },
  );
  fc.assert(
    fc.property(bytes, fc.constantFrom(196_608, 80_877_102, 80_877_103, 80_877_104), (body, code) => {
      const packet = Buffer.concat([Buffer.alloc(4), body]);
      packet.writeInt32BE(code);
      for (const start of [packet, body]) {
        try {
          readStartupPacket(start);
        } catch (error) {
          expect(error).toBeInstanceOf(TesseraError);
        }
      }
    }),
    { numRuns: 2_000 },
  );
});

it('reads the fields of a Bind message', () => {
  const body = new MessageWriter('B').text('p').text('s').int16(1).int16(1);
  body.int16(2).int32(-1).int32(2).bytes(Buffer.from('ab')).int16(2).int16(0).int16(1);
  expect(readFrontendMessage({ type: 'B'.charCodeAt(0), body: body.done().subarray(5) })).toEqual({
    kind: 'bind',
    portal: 'p',
    statement: 's',
    parameterFormats: ['binary'],
    parameters: [null, Buffer.from('ab')],
    resultFormats: ['text', 'binary'],
  });
});
