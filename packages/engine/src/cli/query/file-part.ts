import { access, constants, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { CommandFailure, EXIT } from '../exit-code.ts';

const NAME = /^[_0-9a-zA-Z.-]+$/;
const CODINGS = ['gzip', 'deflate', 'br', 'xz', 'zstd', 'lz4', 'snappy'];

/** A file to send as a part of the request. */
export interface FilePart {
  /** The name in `upload://<name>`. */
  readonly name: string;
  /** The path of the file; `-` means standard input. */
  readonly path: string;
  /** The path as the user wrote it, for messages, if it is another text. */
  readonly typed?: string | undefined;
  /** The Content-Encoding that the file already has. */
  readonly encoding: string | undefined;
}

/** A part whose file exists; the size of a pipe is unknown. */
export interface SizedPart extends FilePart {
  readonly sizeBytes: number | undefined;
}

/** Reads `name=path`, `name=path,encoding=zstd`, or a path alone, which is named by its last component. */
export function parseFilePart(text: string): FilePart {
  const [, left, encoding] = /^(.*?)(?:,encoding=([^,=]*))?$/s.exec(text)!;
  const equals = left!.indexOf('=');
  const path = equals === -1 ? left! : left!.slice(equals + 1);
  const name = equals === -1 ? basename(path) : left!.slice(0, equals);
  const refuse = (why: string) => new CommandFailure(EXIT.usage, `error: --file ${text}: ${why}`);
  if (path === '') throw refuse('expected name=path');
  if (!NAME.test(name)) throw refuse(`the name "${name}" may only have letters, digits, "_", "." and "-"`);
  if (name === 'sql') throw refuse('the name "sql" is that of the statement; take another');
  if (encoding !== undefined && !CODINGS.includes(encoding.toLowerCase()))
    throw refuse(`unknown encoding "${encoding}" (known: ${CODINGS.join(', ')})`);
  return { name, path, encoding: encoding?.toLowerCase() };
}

/** Checks the files before anything is sent. */
export async function sizeParts(parts: readonly FilePart[]): Promise<SizedPart[]> {
  const names = parts.map((p) => p.name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined)
    throw new CommandFailure(
      EXIT.usage,
      `error: two files are named "${twice}"; give one of them another name`,
    );
  return Promise.all(parts.map(async (part) => ({ ...part, sizeBytes: await sizeOf(part) })));
}

async function sizeOf({ path, typed = path }: FilePart): Promise<number | undefined> {
  if (path === '-') return undefined;
  const readable = async () => {
    await access(path, constants.R_OK);
    return stat(path);
  };
  const found = await readable().catch((error: Error) => {
    throw unusableFile(typed, error);
  });
  if (found.isDirectory()) throw new CommandFailure(EXIT.usage, `error: ${typed}: ${REASONS.EISDIR}`);
  return found.isFile() ? found.size : undefined;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or directory',
  EACCES: 'the permission is missing',
  EISDIR: 'it is a directory',
};

/** The failure of a command that cannot read or write a file. */
export const unusableFile = (path: string, error: NodeJS.ErrnoException): CommandFailure =>
  new CommandFailure(EXIT.usage, `error: ${path}: ${REASONS[error.code ?? ''] ?? error.message}`);
