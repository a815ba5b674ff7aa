import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** A file of the web console, as it is sent to browsers. */
export interface ConsoleFile {
  readonly body: Buffer;
  /** The body compressed with gzip. */
  readonly gzipped: Buffer;
  /** Headers to send with either body. The policy allows only files from and requests to the page's own origin. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Where browsers ask for the files that the build wrote, with their places below `generated/`. */
const PAGE = '/';
const FILE = /^\/(console\/[\w-]+\.(?:js|css))$/;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const files = new Map<string, Promise<ConsoleFile>>();

/** The file of the console at a path of the query port; undefined if the console has none there. */
export async function consoleFile(path: string): Promise<ConsoleFile | undefined> {
  const name = path === PAGE ? 'index.html' : FILE.exec(path)?.[1];
  if (name === undefined) return undefined;
  const known = files.get(name);
  if (known !== undefined) return known;
  const read = readConsoleFile(name);
  files.set(name, read);
  try {
    return await read;
  } catch (error) {
    files.delete(name);
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function readConsoleFile(name: string): Promise<ConsoleFile> {
  const body = await readFile(join(import.meta.dirname, 'generated', name));
  return {
    body,
    gzipped: await promisify(gzip)(body, { level: 9 }),
    headers: {
      'Content-Type': TYPES[extname(name)] ?? 'application/octet-stream',
      'Content-Security-Policy': POLICY,
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      // Browsers ask every time, and get the body only if it has changed.
      'Cache-Control': 'no-cache',
      ETag: `"${createHash('sha256').update(body).digest('base64url')}"`,
    },
  };
}
