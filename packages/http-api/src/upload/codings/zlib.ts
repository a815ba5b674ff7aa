import zlib from 'node:zlib';
import { CorruptStream, type Decoder } from './corrupt-stream.ts';
import { withFirstBytes } from './first-bytes.ts';

const options = { chunkSize: 1024 * 1024 };

export const decodeGzip: Decoder = (source) => decodeWith(() => zlib.createGunzip(options), source);
export const decodeBrotli: Decoder = (source) =>
  decodeWith(() => zlib.createBrotliDecompress(options), source);
export const decodeZstd: Decoder = (source) =>
  decodeWith(() => zlib.createZstdDecompress(options), source, 'concatenable');

/** HTTP's deflate is the zlib format, but many clients send raw deflate, so the first two bytes decide. */
export const decodeDeflate: Decoder = async function* (source) {
  const { first, all } = await withFirstBytes(source, 2);
  const isZlib = first.length === 2 && (first[0]! & 0x8f) === 8 && first.readUInt16BE(0) % 31 === 0;
  yield* decodeWith(() => (isZlib ? zlib.createInflate(options) : zlib.createInflateRaw(options)), all);
};

type Engine = ReturnType<typeof zlib.createGunzip | typeof zlib.createZstdDecompress>;

/**
 * Decodes a source with a decompression stream of node:zlib. These streams silently drop data after the end
 * of their format; here that is an error or, where concatenation is allowed, the start of the next frame.
 * (Gunzip handles the members of its format by itself.)
 */
async function* decodeWith(
  create: () => Engine,
  source: AsyncIterable<Buffer>,
  frames?: 'concatenable',
): AsyncGenerator<Buffer, void> {
  let run = new EngineRun(create());
  try {
    for await (const chunk of source) {
      let unread = chunk;
      while (unread.length > 0) {
        yield* run.write(unread);
        unread = run.unread(unread);
        if (unread.length === 0) break;
        if (frames === undefined)
          throw new CorruptStream('there are bytes after the end of the compressed stream');
        yield* run.rest();
        run.close();
        run = new EngineRun(create());
      }
    }
    yield* run.end();
  } finally {
    run.close();
  }
}

class EngineRun {
  readonly #engine: Engine;
  #ready: Buffer[] = [];
  #ended = false;
  #failure: Error | undefined;
  #wake = Promise.withResolvers<void>();
  #givenBytes = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
    engine
      .on('data', (chunk: Buffer) => {
        this.#ready.push(chunk);
        if (this.#ready.length > 2) engine.pause();
        this.#wake.resolve();
      })
      .on('end', () => {
        this.#ended = true;
        this.#wake.resolve();
      })
      .on('error', (error) => {
        this.#failure = error;
        this.#wake.resolve();
      });
  }

  async *write(chunk: Buffer): AsyncGenerator<Buffer, void> {
    let taken = false;
    this.#givenBytes += chunk.length;
    this.#engine.write(chunk, () => {
      taken = true;
      this.#wake.resolve();
    });
    yield* this.#outputUntil(() => taken);
  }

  async *end(): AsyncGenerator<Buffer, void> {
    this.#engine.end();
    yield* this.#outputUntil(() => false);
  }

  /**
   * The part of the last written chunk after the end of the format. The engine consumes bytes up to there;
   * its event `end` may come later.
   */
  unread(chunk: Buffer): Buffer {
    return chunk.subarray(chunk.length - (this.#givenBytes - this.#engine.bytesWritten));
  }

  /** The remaining output up to the end of the format. */
  rest(): AsyncGenerator<Buffer, void> {
    return this.#outputUntil(() => false);
  }

  close(): void {
    this.#engine.destroy();
  }

  async *#outputUntil(done: () => boolean): AsyncGenerator<Buffer, void> {
    for (;;) {
      if (this.#failure !== undefined) throw corrupt(this.#failure);
      const ready = this.#ready;
      this.#ready = [];
      yield* ready;
      if (this.#failure === undefined && this.#ready.length === 0) {
        if (this.#ended || done()) return;
        this.#wake = Promise.withResolvers();
        this.#engine.resume();
        await this.#wake.promise;
      }
    }
  }
}

function corrupt(error: Error & { code?: string }): CorruptStream {
  const reason = error.code === 'Z_BUF_ERROR' ? 'the compressed stream is cut short' : error.message;
  return new CorruptStream(reason, { cause: error });
}
