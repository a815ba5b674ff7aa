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

/** A text that has no form as a C string: the library would not see what stands behind the NUL character. */
export const nulCharacter = (what: string): NativeError =>
  new NativeError(JSON.stringify({ exception_type: 'Encoding', exception_message: what }));
