import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** Writes a body to a new file in the directory, and removes the file if the body is incomplete. */
export async function receivedFile(directory: string, body: AsyncIterable<Uint8Array>): Promise<string> {
  const path = join(directory, randomUUID());
  try {
    await pipeline(body, createWriteStream(path, { flags: 'wx' }));
    return path;
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

export async function receivedBytes(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts);
}
