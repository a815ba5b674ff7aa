import { Worker } from 'node:worker_threads';
import { CorruptStream, type Decoder } from './corrupt-stream.ts';
import type { XzReply, XzRequest } from './xz-protocol.ts';

/** How long a thread that has finished a stream waits for the next one. */
const IDLE_MS = 5_000;

/** Decodes xz in a thread of its own, because the decoder is slow WebAssembly. */
export const decodeXz: Decoder = async function* (source) {
  const chunks = source[Symbol.asyncIterator]();
  let chunk = await chunks.next();
  if (chunk.done) throw new CorruptStream('the compressed stream is cut short');
  const thread = takeThread();
  let finished = false;
  try {
    thread.post({ kind: 'start' });
    thread.post({ kind: 'pull' });
    while (!finished) {
      const reply = await thread.nextReply();
      if (reply.kind === 'need') {
        thread.post({ kind: 'input', chunk: chunk.done ? undefined : chunk.value });
        if (!chunk.done) chunk = await chunks.next();
      } else if (reply.kind === 'output') {
        thread.post({ kind: 'pull' });
        yield Buffer.from(reply.chunk.buffer, reply.chunk.byteOffset, reply.chunk.byteLength);
      } else {
        finished = true;
        if (reply.kind === 'corrupt') throw new CorruptStream(reply.reason);
      }
    }
  } finally {
    if (finished) keepThread(thread);
    else await thread.terminate();
  }
};

class XzThread {
  readonly #worker = new Worker(new URL('./xz-worker.ts', import.meta.url));
  readonly #replies: XzReply[] = [];
  #failure: Error | undefined;
  #wake = Promise.withResolvers<void>();

  constructor() {
    this.#worker
      .on('message', (reply: XzReply) => {
        this.#replies.push(reply);
        this.#wake.resolve();
      })
      .on('error', (error) => this.#fail(error))
      .on('exit', () => this.#fail(new Error('the thread that decodes xz has ended')));
  }

  post(request: XzRequest): void {
    this.#worker.postMessage(request);
  }

  async nextReply(): Promise<XzReply> {
    for (;;) {
      const reply = this.#replies.shift();
      if (reply !== undefined) return reply;
      if (this.#failure !== undefined) throw this.#failure;
      this.#wake = Promise.withResolvers();
      await this.#wake.promise;
    }
  }

  get isUsable(): boolean {
    return this.#failure === undefined;
  }

  /** Decides whether the thread keeps the process alive; an idle one does not. */
  holdProcess(hold: boolean): void {
    if (hold) this.#worker.ref();
    else this.#worker.unref();
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#wake.resolve();
  }
}

let idle: { readonly thread: XzThread; readonly timer: NodeJS.Timeout } | undefined;

function takeThread(): XzThread {
  if (idle === undefined) return new XzThread();
  const { thread, timer } = idle;
  idle = undefined;
  clearTimeout(timer);
  if (!thread.isUsable) return new XzThread();
  thread.holdProcess(true);
  return thread;
}

/** Keeps one idle thread, so that requests with many parts need not start a thread for each. */
function keepThread(thread: XzThread): void {
  if (idle !== undefined) {
    void thread.terminate();
    return;
  }
  thread.holdProcess(false);
  const timer = setTimeout(() => {
    idle = undefined;
    void thread.terminate();
  }, IDLE_MS);
  idle = { thread, timer: timer.unref() };
}
