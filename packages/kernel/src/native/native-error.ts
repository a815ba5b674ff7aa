import { decodeText, type LongText, type SqlText } from '../protocol/long-text.ts';

/** How much of a long text the message of an error has. */
const MESSAGE_BYTES = 1_000;

/** A failure that the kernel reported. */
export class NativeError extends Error {
  /** The kernel's own text, usually in the JSON form of `errors_as_json`. The message is the beginning of a long one. */
  readonly text: string | LongText;
  readonly sql: string | undefined;

  /** @param sql a long text is not kept: the node has it */
  constructor(text: string | LongText, sql?: SqlText) {
    super(
      typeof text === 'string' ? text : Buffer.from(text.utf8.subarray(0, MESSAGE_BYTES)).toString('utf8'),
    );
    this.text = text;
    this.sql = typeof sql === 'string' ? sql : undefined;
  }
}

export const interrupted = (): NativeError =>
  new NativeError('{"exception_type":"Interrupt","exception_message":"Interrupted!"}');

export const isInterrupt = (error: unknown): error is NativeError =>
  error instanceof NativeError && /"exception_type":"Interrupt"/i.test(error.message);

export const isOutOfMemory = (error: unknown): error is NativeError =>
  error instanceof NativeError && /"exception_type":"Out of Memory"/i.test(error.message);

/**
 * The error for a stream whose own error was lost, if the query succeeded when it was run again to find that
 * error.
 */
export const failedOnce = (sql: SqlText): NativeError =>
  new NativeError(
    JSON.stringify({
      exception_type: 'Invalid Input',
      exception_message:
        'The query failed while its rows were being read, and did not fail when it was run again to find the reason. Run it again',
    }),
    sql,
  );

/**
 * The failure of a statement that had `offset` additional bytes in front of `sql`: its position is translated
 * to `sql`.
 */
export const positionedAfter = (offset: number, { text }: NativeError, sql: SqlText): NativeError =>
  new NativeError(
    decodeText(text).replace(
      /"position":"(\d+)"/,
      (_, at: string) => `"position":"${Math.max(0, Number(at) - offset)}"`,
    ),
    sql,
  );

/**
 * The error for a text with a NUL character, which cannot be passed as a C string: the library would not see
 * the rest.
 */
export const nulCharacter = (what: string): NativeError =>
  new NativeError(JSON.stringify({ exception_type: 'Encoding', exception_message: what }));

/**
 * Checks that a text in UTF-8 is the C string that it is passed as.
 * @throws NativeError
 */
export function requireCString(bytes: Uint8Array, what: string): void {
  if (bytes.indexOf(0) !== bytes.length - 1) throw nulCharacter(what);
}
