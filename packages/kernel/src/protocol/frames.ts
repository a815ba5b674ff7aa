import { deserialize, serialize } from 'node:v8';
import type { Reply, TextRows } from './messages.ts';

/**
 * One frame on a session's socket: an 8-byte header (u32 LE payload length, u8 kind, 3 zero bytes), then the
 * payload. Structured payloads are V8-serialised, because both ends are the same program. Small ones of plain values are
 * JSON, which takes a fraction of the time; its first byte differs from V8's.
 */
const FRAME_HEADER_BYTES = 8;

export const FrameKind = {
  /** node → kernel: a `Request`. */
  request: 1,
  /** node → kernel: encapsulated Arrow messages of an append. */
  appendBatch: 2,
  /** node → kernel: the append's input ends; the payload is one byte, 1 = keep, 0 = give up. */
  appendEnd: 3,
  /** node → kernel: stop the running call. */
  interrupt: 4,
  /** kernel → node: the value a call resolves to. */
  reply: 16,
  /** kernel → node: a `WireError`. */
  error: 17,
  /** kernel → node: a `ResultHeader`; batches and a reply (or an error) follow. */
  resultHeader: 18,
  /** kernel → node: u32 LE rows, 4 zero bytes, an encapsulated Arrow RecordBatch message. */
  batch: 19,
  /** kernel → node: all rows of a query of one VARCHAR column, instead of a header, a batch and a reply: see `textPrefix`. */
  text: 20,
} as const;
export type FrameKind = (typeof FrameKind)[keyof typeof FrameKind];

export interface Frame {
  readonly kind: FrameKind;
  readonly payload: Buffer;
}

export function frameHeader(kind: FrameKind, payloadBytes: number): Buffer {
  const header = Buffer.alloc(FRAME_HEADER_BYTES);
  header.writeUInt32LE(payloadBytes, 0);
  header[4] = kind;
  return header;
}

const TEXT_PREFIX_BYTES = 8;
const DIRTY = 1;
const APPENDED = 2;
const TOO_LONG = 4;

/** The beginning of a `text` payload: u32 LE rows, u8 flags of the reply, 3 zero bytes. The values follow, concatenated. */
export function textPrefix(
  { rows, isTooLong }: Pick<TextRows, 'rows' | 'isTooLong'>,
  { dirty, appended }: Pick<Reply, 'dirty' | 'appended'>,
): Buffer {
  const prefix = Buffer.alloc(TEXT_PREFIX_BYTES);
  prefix.writeUInt32LE(rows, 0);
  prefix[4] =
    (dirty === true ? DIRTY : 0) | (appended === true ? APPENDED : 0) | (isTooLong === true ? TOO_LONG : 0);
  return prefix;
}

export function decodeTextRows({ payload }: Frame): TextRows & { readonly reply: Reply } {
  const flags = payload[4]!;
  return {
    rows: payload.readUInt32LE(0),
    bytes: payload.subarray(TEXT_PREFIX_BYTES),
    isTooLong: (flags & TOO_LONG) !== 0,
    reply: { dirty: (flags & DIRTY) !== 0, appended: (flags & APPENDED) !== 0 },
  };
}

export function encodeFrame(kind: FrameKind, value?: unknown): Buffer {
  if (isRecord(value) && isSmallAndPlain(value)) return jsonFrame(kind, JSON.stringify(value));
  const payload = value === undefined ? EMPTY : serialize(value);
  return Buffer.concat([frameHeader(kind, payload.length), payload]);
}

export function decodePayload({ payload }: Frame): unknown {
  if (payload.length === 0) return undefined;
  return payload[0] === JSON_START ? JSON.parse(payload.toString('utf8')) : deserialize(payload);
}

const JSON_START = '{'.charCodeAt(0);

function jsonFrame(kind: FrameKind, json: string): Buffer {
  const bytes = Buffer.byteLength(json);
  const frame = Buffer.allocUnsafe(FRAME_HEADER_BYTES + bytes);
  frame.writeUInt32LE(bytes, 0);
  frame.writeUInt32LE(kind, 4);
  frame.write(json, FRAME_HEADER_BYTES);
  return frame;
}

/** Longer texts are many escapes in JSON, and a copy of the text. */
const MAX_JSON_TEXT = 4_096;
/**
 * What an object may have in JSON: it is a JavaScript text on its way, and a long one takes memory that the kernel process
 * may not get (see `long-text.ts`).
 */
const MAX_JSON_LENGTH = 16_384;
/** A name, a number and the like, roughly. */
const MEMBER_LENGTH = 32;

const isSmallAndPlain = (value: object): boolean => plainLength(value, MAX_JSON_LENGTH) <= MAX_JSON_LENGTH;

/**
 * About the length of the value in JSON; Infinity if that is more than `most`, or if JSON does not keep the value as it is,
 * apart from members that are undefined.
 */
function plainLength(value: object, most: number): number {
  let length = 0;
  for (const member of Object.values(value)) {
    length += MEMBER_LENGTH;
    if (typeof member === 'string') length += member.length <= MAX_JSON_TEXT ? member.length : Infinity;
    else if (typeof member === 'number') length += isPlainNumber(member) ? 0 : Infinity;
    else if (isRecord(member) || Array.isArray(member)) length += plainLength(member, most - length);
    else if (typeof member !== 'boolean' && member !== null && (member !== undefined || Array.isArray(value)))
      length = Infinity;
    if (length > most) return Infinity;
  }
  return length;
}

const isPlainNumber = (value: number): boolean => Number.isSafeInteger(value) && !Object.is(value, -0);

/** Whether it is an object of no class: JSON would turn a date, an error or a map into something else. */
const isRecord = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

const EMPTY = Buffer.alloc(0);

/** Provides the buffer in which the payload of a frame is collected. */
export type AllocatePayload = (kind: FrameKind, bytes: number) => Buffer;

/** If a payload lacks at least this much, it is worth reading into it directly. */
const MIN_DIRECT_BYTES = 16 * 1024;

/**
 * Splits a byte stream into frames. Every payload has a buffer of its own, so that it starts at an aligned
 * address. It is copied once, or not at all if the reader of the stream asks first where the next bytes
 * should go.
 */
export class FrameReader {
  readonly #header = Buffer.alloc(FRAME_HEADER_BYTES);
  #headerFill = 0;
  #payload: Buffer = EMPTY;
  #payloadFill = 0;
  readonly #onFrame: (frame: Frame) => void;
  readonly #allocate: AllocatePayload;

  constructor(
    onFrame: (frame: Frame) => void,
    allocate: AllocatePayload = (_, bytes) => Buffer.allocUnsafeSlow(bytes),
  ) {
    this.#onFrame = onFrame;
    this.#allocate = allocate;
  }

  /** The missing rest of a long payload; undefined if the next bytes should be read elsewhere and pushed. */
  get directTarget(): Buffer | undefined {
    const missing = this.#payload.length - this.#payloadFill;
    return missing >= MIN_DIRECT_BYTES ? this.#payload.subarray(this.#payloadFill) : undefined;
  }

  /** Reports that this many bytes were read into the former `directTarget`. */
  filled(bytes: number): void {
    this.#payloadFill += bytes;
    this.#emitWhole();
  }

  push(bytes: Uint8Array): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.#headerFill < FRAME_HEADER_BYTES) {
        const take = Math.min(FRAME_HEADER_BYTES - this.#headerFill, bytes.length - at);
        this.#header.set(bytes.subarray(at, at + take), this.#headerFill);
        this.#headerFill += take;
        at += take;
        if (this.#headerFill < FRAME_HEADER_BYTES) return;
        this.#payload = this.#allocate(this.#header[4] as FrameKind, this.#header.readUInt32LE(0));
        this.#payloadFill = 0;
      }
      const take = Math.min(this.#payload.length - this.#payloadFill, bytes.length - at);
      this.#payload.set(bytes.subarray(at, at + take), this.#payloadFill);
      this.#payloadFill += take;
      at += take;
      this.#emitWhole();
    }
  }

  #emitWhole(): void {
    if (this.#payloadFill < this.#payload.length) return;
    const payload = this.#payload;
    this.#headerFill = 0;
    this.#payload = EMPTY;
    this.#payloadFill = 0;
    this.#onFrame({ kind: this.#header[4] as FrameKind, payload });
  }
}
