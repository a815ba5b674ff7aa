import { create, type DescField, type DescMessage, type Message, toBinary } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { discardBytes } from '@tessera/common';

/** Shorter fields are copied with their message. */
const MIN_BULK_BYTES = 16 * 1024;

/**
 * A message in parts, in the form that grpc-js accepts: it asks for the length and then has the message copied
 * into the buffer that it sends.
 */
export class EncodedMessage {
  readonly byteLength: number;
  /** They are valid as long as the message. */
  readonly parts: readonly Uint8Array[];
  #sent: Uint8Array | undefined;

  constructor(parts: readonly Uint8Array[]) {
    this.parts = parts;
    this.byteLength = parts.reduce((sum, part) => sum + part.length, 0);
  }

  get length(): number {
    return this.byteLength;
  }

  copy(target: Uint8Array, start = 0): number {
    let at = start;
    for (const part of this.parts) {
      target.set(part, at);
      at += part.length;
    }
    this.#sent = target;
    return at - start;
  }

  /** Frees the buffer into which it was copied. Must be called when that has been sent. */
  discard(): void {
    if (this.#sent !== undefined) discardBytes(this.#sent);
  }
}

/** Whether messages of the type may have long `bytes`. */
export const isBulk = (type: DescMessage): boolean => bytesPaths(type, new Set()).length > 0;

/** The path from a message to a `bytes` field in it; none of the fields is repeated. */
type Path = readonly DescField[];

/** Encodes messages of one type. Long `bytes` are neither copied nor inspected. */
export function bulkEncoder(type: DescMessage): (value: unknown) => EncodedMessage {
  const paths = bytesPaths(type, new Set());
  return (value) => {
    const message = create(type, value as Message);
    for (const path of paths) {
      const bytes = take(message, path);
      if (bytes === undefined) continue;
      const rest = toBinary(type, message);
      put(message, path, bytes);
      // The receiver joins a message that comes in two parts.
      return new EncodedMessage([rest, header(path, bytes.length), bytes]);
    }
    return new EncodedMessage([toBinary(type, message)]);
  };
}

function bytesPaths(type: DescMessage, above: ReadonlySet<DescMessage>): Path[] {
  if (above.has(type)) return [];
  return type.fields.flatMap((field): Path[] => {
    if (field.fieldKind === 'scalar' && field.scalar === SCALAR_BYTES) return [[field]];
    if (field.fieldKind !== 'message') return [];
    return bytesPaths(field.message, new Set([...above, type])).map((rest) => [field, ...rest]);
  });
}

const SCALAR_BYTES = 12;

type Fields = Record<string, unknown>;
interface Choice {
  case?: string;
  value?: unknown;
}

/** The place of the field's value; undefined if another member of its `oneof` is set. */
function slot(message: Fields, field: DescField): { holder: Fields; name: string } | undefined {
  if (field.oneof === undefined) return { holder: message, name: field.localName };
  const choice = message[field.oneof.localName] as Choice;
  return choice.case === field.localName ? { holder: choice as Fields, name: 'value' } : undefined;
}

function find(message: unknown, path: Path): { holder: Fields; name: string } | undefined {
  let at = slot(message as Fields, path[0]!);
  for (const field of path.slice(1)) {
    const inner = at?.holder[at.name];
    if (inner === undefined) return undefined;
    at = slot(inner as Fields, field);
  }
  return at;
}

const NONE = new Uint8Array(0);

/** Returns the bytes at the path if they are long, and removes them from the message. */
function take(message: unknown, path: Path): Uint8Array | undefined {
  const at = find(message, path);
  const bytes = at?.holder[at.name] as Uint8Array | undefined;
  if (at === undefined || bytes === undefined || bytes.length < MIN_BULK_BYTES) return undefined;
  at.holder[at.name] = NONE;
  return bytes;
}

function put(message: unknown, path: Path, bytes: Uint8Array): void {
  const at = find(message, path)!;
  at.holder[at.name] = bytes;
}

/** Tags and lengths of the fields along the path, before the bytes themselves. */
function header(path: Path, length: number): Uint8Array {
  let written: Uint8Array = NONE;
  for (const { number } of path.toReversed()) {
    const outer = new BinaryWriter().tag(number, WireType.LengthDelimited).uint32(written.length + length);
    written = outer.raw(written).finish();
  }
  return written;
}
