/** A failure the kernel reported: `message` is its own text, usually in the JSON form of `errors_as_json`. */
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

/** The failure of a stream whose error was lost, when the query succeeded as it was run again to find the error. */
export const failedOnce = (sql: string): NativeError =>
  new NativeError(
    JSON.stringify({
      exception_type: 'Invalid Input',
      exception_message:
        'The query failed while its rows were being read, and did not fail when it was run again to find the reason. Run it again',
    }),
    sql,
  );

/** The failure of a statement that began with `offset` bytes which `sql` has not: its position is moved to be one in `sql`. */
export const positionedAfter = (offset: number, { message }: NativeError, sql: string): NativeError =>
  new NativeError(
    message.replace(
      /"position":"(\d+)"/,
      (_, at: string) => `"position":"${Math.max(0, Number(at) - offset)}"`,
    ),
    sql,
  );

/** A text that has no form as a C string: the library would not see what stands behind the NUL character. */
export const nulCharacter = (what: string): NativeError =>
  new NativeError(JSON.stringify({ exception_type: 'Encoding', exception_message: what }));
