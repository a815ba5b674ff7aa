import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ObjectStore } from '../object-store.ts';
import { receivedFile } from './received-body.ts';
import { S3Failure } from './s3-failure.ts';

const UPLOAD_ID = /^[0-9a-f-]{36}$/;
const MAX_PARTS = 10_000;

/** The parts of uploads, which are files until the upload is completed. */
export class MultipartUploads {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async begin(): Promise<string> {
    const id = randomUUID();
    await mkdir(join(this.#directory, id), { recursive: true });
    return id;
  }

  /** Returns the etag of the part. @throws S3Failure */
  async put(id: string, number: number, body: AsyncIterable<Uint8Array>): Promise<string> {
    if (!(Number.isInteger(number) && number >= 1 && number <= MAX_PARTS)) {
      throw new S3Failure('InvalidArgument', `Part numbers are from 1 to ${MAX_PARTS}`);
    }
    await this.#parts(id);
    const received = await receivedFile(this.#directory, body);
    await rename(received, join(this.#directory, id, String(number)));
    return `${id}-${number}`;
  }

  /** Concatenates the parts in the given order. @throws S3Failure if one is missing */
  async complete(id: string, numbers: readonly number[], store: ObjectStore, key: string): Promise<void> {
    const parts = await this.#parts(id);
    const whole = join(this.#directory, `${id}.whole`);
    try {
      for (const [at, number] of numbers.entries()) {
        if (!parts.has(String(number))) throw new S3Failure('InvalidPart', `Part ${number} was not uploaded`);
        const target = createWriteStream(whole, { flags: at === 0 ? 'w' : 'a' });
        await pipeline(createReadStream(join(this.#directory, id, String(number))), target);
      }
      await store.putFile(key, whole);
    } finally {
      await rm(whole, { force: true });
    }
    await this.abort(id);
  }

  async abort(id: string): Promise<void> {
    await this.#parts(id);
    await rm(join(this.#directory, id), { recursive: true, force: true });
  }

  async #parts(id: string): Promise<Set<string>> {
    const found = UPLOAD_ID.test(id)
      ? await readdir(join(this.#directory, id)).catch(() => undefined)
      : undefined;
    if (found === undefined) throw new S3Failure('NoSuchUpload', 'The specified upload does not exist');
    return new Set(found);
  }
}
