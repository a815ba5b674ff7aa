import koffi from 'koffi';
import { libc, MADV_DONTNEED, MAP_FAILED, madvise, mmap, type Native, type Pointer } from './libc.ts';

const PROT_READ = 1;
const MAP_SHARED = 1;

const munmap = libc.func('munmap', 'int', ['void *', 'size_t']) as unknown as Native<
  number,
  [Pointer, number]
>;

/** The first bytes of a file as memory, which the system fills and takes back as it needs. The file must not become shorter. */
export class MappedFile {
  readonly bytes: Uint8Array;
  readonly #address: Pointer;

  constructor(fd: number, length: number) {
    this.#address = BigInt(mmap(null, length, PROT_READ, MAP_SHARED, fd, 0));
    if (this.#address === MAP_FAILED) throw new Error('The system could not map a file of received rows');
    this.bytes = new Uint8Array(koffi.view(this.#address, length));
  }

  /** The bytes up to `end` are not needed soon: they leave the process's memory, and come back when they are read. */
  discard(end: number): void {
    madvise(this.#address, end, MADV_DONTNEED);
  }

  /** To be called once, when nobody reads the bytes any more. */
  close(): void {
    munmap(this.#address, this.bytes.length);
  }
}
