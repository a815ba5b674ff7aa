import { signal } from '@preact/signals';
import { isPartName, partNameFor, partsNamedIn, uploadReference } from '../engine/part-names.ts';
import { ask, type Part } from '../engine/request.ts';

interface FileColumn {
  readonly column_name: string;
  readonly data_type: string;
}

/** A file that was dropped on the page, with the name that statements read it by. */
export interface AttachedFile {
  readonly name: string;
  readonly file: File;
  /** What the engine found in it: columns, or why it found none; undefined until it has answered. */
  readonly contents?: readonly FileColumn[] | string;
}

/** The whole file is sent to learn its columns if it is not larger; of larger text files, the beginning. */
const SNIFFED_BYTES = 1_000_000;
/** Formats that end with their description are sent whole up to this size. */
const SNIFFED_WHOLE_BYTES = 32_000_000;

export const attached = signal<readonly AttachedFile[]>([]);

/** Attaches files under free names; returns what reads them in FROM. */
export function attach(files: Iterable<File>): string[] {
  return [...files].map((file) => {
    const name = partNameFor(
      file.name,
      attached.value.map((other) => other.name),
    );
    attached.value = [...attached.value, { name, file }];
    void sniff(name, file);
    return uploadReference(name);
  });
}

/** Returns whether the file has the new name now. */
export function rename(entry: AttachedFile, name: string): boolean {
  const others = attached.value.filter((other) => other !== entry).map((other) => other.name);
  if (!isPartName(name, others)) return false;
  attached.value = attached.value.map((other) => (other === entry ? { ...other, name } : other));
  return true;
}

export function detach(entry: AttachedFile): void {
  attached.value = attached.value.filter((other) => other !== entry);
}

/** The files that a statement names: only these travel with it. */
export function partsOf(sql: string): Part[] {
  const named = partsNamedIn(sql);
  return attached.value.filter((entry) => named.has(entry.name)).map(({ name, file }) => ({ name, file }));
}

/** Has the engine say which columns a file has. */
async function sniff(name: string, file: File): Promise<void> {
  const contents = await columnsOf(name, file).catch((error: Error) => error.message);
  attached.value = attached.value.map((entry) => (entry.file === file ? { ...entry, contents } : entry));
}

async function columnsOf(name: string, file: File): Promise<FileColumn[] | string> {
  const sample = await beginningOf(file);
  if (sample === undefined) return 'Its columns are known once a statement reads it.';
  return ask<FileColumn>(`DESCRIBE ${uploadReference(name)}`, {}, [{ name, file: sample }]);
}

/** As many lines of a text file as the engine needs to recognise types; other formats only whole. */
async function beginningOf(file: File): Promise<Blob | undefined> {
  if (file.size <= SNIFFED_BYTES) return file;
  if (!/\.(csv|tsv|jsonl|ndjson|log|txt)$/i.test(file.name))
    return file.size <= SNIFFED_WHOLE_BYTES ? file : undefined;
  const bytes = new Uint8Array(await file.slice(0, SNIFFED_BYTES).arrayBuffer());
  return new Blob([bytes.subarray(0, bytes.lastIndexOf(10) + 1)]);
}
