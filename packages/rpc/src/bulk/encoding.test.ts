import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { FetchResponseSchema } from '../generated/tessera/v1/shuffle_pb.ts';
import { ReadRangeResponseSchema } from '../generated/tessera/v1/storage_agent_pb.ts';
import { bulkEncoder, type EncodedMessage } from './encoding.ts';

function bytesOf(encoded: EncodedMessage): Uint8Array {
  const buffer = Buffer.alloc(encoded.length + 5);
  expect(encoded.copy(buffer, 5)).toBe(encoded.byteLength);
  return new Uint8Array(buffer.subarray(5));
}

const bytes = (length: number) => Uint8Array.from({ length }, (_, i) => i % 251);

describe.each([0, 10, 100_000])('%d bytes', (length) => {
  it('in a message that is a member of a oneof', () => {
    const batch = { ipc: bytes(length), rawLength: 5, rows: 7, crc32c: 11 };
    const response = create(FetchResponseSchema, { sequence: 3, content: { case: 'batch', value: batch } });
    const encoded = bulkEncoder(FetchResponseSchema)(response);
    expect(fromBinary(FetchResponseSchema, bytesOf(encoded))).toEqual(response);
    expect(response.content.case === 'batch' && response.content.value.ipc.length).toBe(length);
  });

  it('in the message itself, given as a plain object', () => {
    const response = { data: bytes(length) };
    const encoded = bulkEncoder(ReadRangeResponseSchema)(response);
    expect(fromBinary(ReadRangeResponseSchema, bytesOf(encoded))).toEqual(
      create(ReadRangeResponseSchema, response),
    );
  });

  it('in another member of a oneof', () => {
    const response = create(FetchResponseSchema, { content: { case: 'schema', value: bytes(length) } });
    expect(fromBinary(FetchResponseSchema, bytesOf(bulkEncoder(FetchResponseSchema)(response)))).toEqual(
      response,
    );
  });
});

it('a message without bytes is encoded as usual', () => {
  const response = create(FetchResponseSchema, {
    sequence: 9,
    content: { case: 'end', value: { rows: 1n, batches: 2 } },
  });
  expect([...bytesOf(bulkEncoder(FetchResponseSchema)(response))]).toEqual([
    ...toBinary(FetchResponseSchema, response),
  ]);
});
