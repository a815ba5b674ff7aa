import { type ErrorData, TesseraError } from '@tessera/common';
import { caretOf, withCaret } from '../errors/caret.ts';
import { decodeValue, isLongText, type WireValue } from '../protocol/long-text.ts';
import type { StatementDescription } from '../protocol/messages.ts';
import type { KernelParams, KernelValue } from '../types/kernel-value.ts';
import { type KernelSession, scalarFrame } from './kernel-session.ts';

/** The part of a session that binds statements: it computes constants and describes results. */
export type BindingSession = Pick<KernelSession, 'scalar' | 'encodedScalar' | 'describe' | 'timeZone'>;

/** A call of a `ForwardedSession`. It can be cloned to another thread. */
export type SessionCall =
  | { readonly op: 'scalar'; readonly sql: string; readonly frame: Uint8Array }
  | { readonly op: 'describe'; readonly sql: string };

/**
 * A session of another thread, which `forward` sends the calls to. That thread runs them by `runForwarded`. Long texts are encoded
 * and decoded in this one.
 */
export class ForwardedSession implements BindingSession {
  readonly timeZone: string | null;
  readonly #forward: (call: SessionCall) => Promise<unknown>;

  constructor(timeZone: string | null, forward: (call: SessionCall) => Promise<unknown>) {
    this.timeZone = timeZone;
    this.#forward = forward;
  }

  async scalar(sql: string, params: KernelParams = []): Promise<KernelValue> {
    return decodeValue(await this.encodedScalar(sql, scalarFrame(sql, params, this.timeZone)));
  }

  async encodedScalar(sql: string, frame: Uint8Array): Promise<WireValue> {
    return (await this.#forward({ op: 'scalar', sql, frame: alone(frame) })) as WireValue;
  }

  async describe(sql: string): Promise<StatementDescription> {
    return (await this.#forward({ op: 'describe', sql })) as StatementDescription;
  }
}

/** Runs a call of a `ForwardedSession`; the result can be cloned to its thread. */
export async function runForwarded(session: BindingSession, call: SessionCall): Promise<unknown> {
  if (call.op === 'describe') return session.describe(call.sql);
  const value = await session.encodedScalar(call.sql, call.frame);
  return isLongText(value) ? { utf8: alone(value.utf8) } : value;
}

/** The bytes in a buffer of their own: a clone of a part of a buffer copies the whole buffer. */
const alone = (bytes: Uint8Array): Uint8Array => (isAlone(bytes) ? bytes : new Uint8Array(bytes));

const isAlone = ({ buffer, byteLength }: Uint8Array): boolean =>
  buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;

/** The memory of a call of a `ForwardedSession`, or of its result, that can be moved to the other thread instead of copied. */
export function movableMemory(message: unknown): ArrayBuffer[] {
  if (typeof message !== 'object' || message === null) return [];
  const bytes = 'frame' in message ? message.frame : 'utf8' in message ? message.utf8 : undefined;
  return bytes instanceof Uint8Array && isAlone(bytes) ? [bytes.buffer as ArrayBuffer] : [];
}

/** An error of the kernel on its way to another thread. */
export interface ForwardedError {
  readonly data: ErrorData;
  readonly caret: number | undefined;
}

export const forwardedError = (error: TesseraError): ForwardedError => ({
  data: error.toData(),
  caret: caretOf(error),
});

export const receivedError = ({ data, caret }: ForwardedError): TesseraError =>
  withCaret(TesseraError.fromData(data), caret);
