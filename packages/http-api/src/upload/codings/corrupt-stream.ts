/** Thrown by decoders for input that is not a whole, valid stream of their coding. */
export class CorruptStream extends Error {
  override readonly name = 'CorruptStream';
}

/**
 * Turns the stream of one coding into the stream it encodes. Reads its source to the end or throws CorruptStream;
 * errors of the source pass through. Leaving the generator early frees what it holds.
 */
export type Decoder = (source: AsyncIterable<Buffer>) => AsyncGenerator<Buffer, void>;
