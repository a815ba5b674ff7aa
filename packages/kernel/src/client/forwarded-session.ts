import type { ErrorData } from '@tessera/common';
import { TesseraError } from '@tessera/common';
import { caretOf, withCaret } from '../errors/caret.ts';
import {
  decodeValue,
  encodeParams,
  isLongText,
  type WireParams,
  type WireValue,
} from '../protocol/long-text.ts';
import type { StatementDescription } from '../protocol/messages.ts';
import type { KernelParams, KernelValue } from '../types/kernel-value.ts';
import type { KernelSession } from './kernel-session.ts';

/** What binding a statement needs of a session: it computes constants and describes results. */
export type BindingSession = Pick<KernelSession, 'scalar' | 'encodedScalar' | 'describe'>;

/** A call of a `ForwardedSession`. It can be cloned to another thread. */
export type SessionCall =
  | { readonly op: 'scalar'; readonly sql: string; readonly params: WireParams }
  | { readonly op: 'describe'; readonly sql: string };

/** A session of another thread, which `forward` sends the calls to. That thread runs them by `runForwarded`. */
export class ForwardedSession implements BindingSession {
  readonly #forward: (call: SessionCall) => Promise<unknown>;

  constructor(forward: (call: SessionCall) => Promise<unknown>) {
    this.#forward = forward;
  }

  async scalar(sql: string, params: KernelParams = []): Promise<KernelValue> {
    return decodeValue(await this.encodedScalar(sql, encodeParams(params)));
  }

  async encodedScalar(sql: string, params: WireParams): Promise<WireValue> {
    return (await this.#forward({ op: 'scalar', sql, params })) as WireValue;
  }

  async describe(sql: string): Promise<StatementDescription> {
    return (await this.#forward({ op: 'describe', sql })) as StatementDescription;
  }
}

/** Runs a call of a `ForwardedSession`; the result can be cloned to its thread. */
export async function runForwarded(session: BindingSession, call: SessionCall): Promise<unknown> {
  if (call.op === 'describe') return session.describe(call.sql);
  const value = await session.encodedScalar(call.sql, call.params);
  // It is a part of a buffer, of which a clone would copy the whole.
  return isLongText(value) ? { utf8: new Uint8Array(value.utf8) } : value;
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
