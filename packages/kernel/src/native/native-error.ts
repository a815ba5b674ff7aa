/**
 * A failure that the kernel reported: `message` is its own text, usually in the JSON form of
 * `errors_as_json`.
 */
export class NativeError extends Error {
  readonly sql: string | undefined;

  constructor(message: string, sql?: string) {
    super(message);
    this.sql = sql;
  }
}

export const interrupted = (): NativeError =>
  new NativeError('{"exception_type":"Interrupt","exception_message":"Interrupted!"}');

export const isInterrupt = (error: unknown): error is NativeError =>
  error instanceof NativeError && /"exception_type":"Interrupt"/i.test(error.message);

/**
 * The error for a stream whose own error was lost, if the query succeeded when it was run again to find that
 * error.
 */
export const failedOnce = (sql: string): NativeError =>
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
export const positionedAfter = (offset: number, { message }: NativeError, sql: string): NativeError =>
  new NativeError(
    message.replace(
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
