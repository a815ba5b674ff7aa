/** Thrown by decoders for input that is not a complete, valid stream of their coding. */
export class CorruptStream extends Error {
  override readonly name = 'CorruptStream';
}

/**
 * Decodes a stream of one coding. It reads its source to the end or throws CorruptStream; errors of the
 * source pass through. Leaving the generator early releases its resources.
 */
export type Decoder = (source: AsyncIterable<Buffer>) => AsyncGenerator<Buffer, void>;
