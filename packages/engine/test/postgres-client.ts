import { connect, type Socket } from 'node:net';

/** A message of the server: its type byte as a letter, and the bytes after its length. */
export interface ServerMessage {
  readonly type: string;
  readonly body: Buffer;
}

/** A text in the protocol's encoding: with a terminating zero byte. */
export const text = (value: string): Buffer => Buffer.from(`${value}\0`);

const int16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
};

export const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};

export function message(type: string, ...fields: readonly Buffer[]): Buffer {
  const body = Buffer.concat(fields);
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

export const query = (sql: string): Buffer => message('Q', text(sql));
export const parse = (sql: string, name = '', oids: readonly number[] = []): Buffer =>
  message('P', text(name), text(sql), int16(oids.length), ...oids.map(int32));
export const execute = (maxRows = 0, portal = ''): Buffer => message('E', text(portal), int32(maxRows));
export const describe = (what: 'S' | 'P', name = ''): Buffer => message('D', Buffer.from(what), text(name));
export const close = (what: 'S' | 'P', name: string): Buffer => message('C', Buffer.from(what), text(name));
export const sync = message('S');
export const flush = message('H');

/** A Bind message with parameters as texts. */
export function bind(
  parameters: readonly (string | null)[] = [],
  { statement = '', portal = '' }: { readonly statement?: string; readonly portal?: string } = {},
): Buffer {
  const values = parameters.flatMap((value) =>
    value === null ? [int32(-1)] : [int32(Buffer.byteLength(value)), Buffer.from(value)],
  );
  return message('B', text(portal), text(statement), int16(0), int16(parameters.length), ...values, int16(0));
}

export function startup(parameters: Readonly<Record<string, string>>, version = 196_608): Buffer {
  const pairs = Object.entries(parameters).flatMap(([name, value]) => [text(name), text(value)]);
  const body = Buffer.concat([int32(version), ...pairs, Buffer.of(0)]);
  return Buffer.concat([int32(body.length + 4), body]);
}

/** Speaks the protocol byte by byte, to test messages that no driver sends. */
export class RawClient {
  readonly socket: Socket;
  #received = Buffer.alloc(0);
  #ended = false;
  #wake: () => void = () => undefined;

  constructor(place: string | Socket) {
    this.socket = typeof place === 'string' ? connectTo(place) : place;
    this.socket.on('data', (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    const onEnd = () => {
      this.#ended = true;
      this.#wake();
    };
    this.socket.on('close', onEnd);
    this.socket.on('error', onEnd);
  }

  /** Connects as a user, up to the first ReadyForQuery. */
  static async open(address: string, parameters: Readonly<Record<string, string>> = {}): Promise<RawClient> {
    const client = new RawClient(address);
    client.send(startup({ user: 'tessera', database: 'tessera', ...parameters }));
    await client.until('Z');
    return client;
  }

  send(...pieces: readonly Buffer[]): void {
    this.socket.write(Buffer.concat(pieces));
  }

  /** The next `count` bytes, or fewer if the server closes. */
  async bytes(count: number): Promise<Buffer> {
    while (this.#received.length < count && !this.#ended) await this.#more();
    const bytes = this.#received.subarray(0, count);
    this.#received = this.#received.subarray(bytes.length);
    return bytes;
  }

  /** The next message; undefined if the server has closed the connection. */
  async next(): Promise<ServerMessage | undefined> {
    for (;;) {
      if (this.#received.length >= 5) {
        const end = 1 + this.#received.readInt32BE(1);
        if (this.#received.length >= end) {
          const [type, body] = [this.#received.toString('latin1', 0, 1), this.#received.subarray(5, end)];
          this.#received = this.#received.subarray(end);
          return { type, body };
        }
      }
      if (this.#ended) return undefined;
      await this.#more();
    }
  }

  /** The messages up to and including one of the type; all remaining ones if there is none. */
  async until(type: string): Promise<readonly ServerMessage[]> {
    const messages: ServerMessage[] = [];
    for (;;) {
      const next = await this.next();
      if (next === undefined) return messages;
      messages.push(next);
      if (next.type === type) return messages;
    }
  }

  /** Sends messages and returns the answer up to the next ReadyForQuery, in words. */
  async ask(...pieces: readonly Buffer[]): Promise<readonly string[]> {
    this.send(...pieces);
    return (await this.until('Z')).map(messageText);
  }

  /** Resolves when the server has closed the connection. */
  async closed(): Promise<void> {
    while (!this.#ended) await this.#more();
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }
}

function connectTo(address: string): Socket {
  const url = new URL(address.includes('://') ? address : `postgres://${address}`);
  return connect(Number(url.port), url.hostname);
}

/** A message in words: `D 1|x`, `C SELECT 1`, `E ERROR 22012 division by zero`, `Z I`. */
export function messageText({ type, body }: ServerMessage): string {
  switch (type) {
    case 'Z':
      return `Z ${body.toString()}`;
    case 'C':
      return `C ${body.toString('utf8', 0, body.length - 1)}`;
    case 'D':
      return `D ${cells(body).join('|')}`;
    case 'd':
      return `d ${JSON.stringify(body.toString())}`;
    case 'E':
    case 'N': {
      const fields = reportFields(body);
      return `${type} ${fields.get('S')} ${fields.get('C')} ${fields.get('M')}`;
    }
    default:
      return type;
  }
}

export function reportFields(body: Buffer): ReadonlyMap<string, string> {
  const fields = body
    .toString('utf8')
    .split('\0')
    .filter((field) => field !== '');
  return new Map(fields.map((field) => [field[0]!, field.slice(1)]));
}

function cells(body: Buffer): string[] {
  const values: string[] = [];
  let at = 2;
  for (let i = 0; i < body.readInt16BE(0); i += 1) {
    const length = body.readInt32BE(at);
    at += 4;
    values.push(length < 0 ? 'NULL' : body.toString('utf8', at, at + length));
    at += Math.max(0, length);
  }
  return values;
}
