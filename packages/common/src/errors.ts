import { ERRORS, type ErrorName, type ErrorParams, type RetryClass } from './error-table.ts';

/** A place in the text of a statement: lines and columns count from 1, columns in characters. */
export interface SqlLocation {
  readonly line: number;
  readonly startColumn: number;
  readonly endColumn: number;
}

export interface ErrorExtras {
  readonly location?: SqlLocation | undefined;
  /** One sentence that says what the user can do about it. */
  readonly resolution?: string | undefined;
  readonly cause?: unknown;
}

/** Parameters of an error's message, by name. */
export type ErrorDetails = Readonly<Record<string, unknown>>;

/** An error in the form in which it crosses a process boundary, with its kind and its chain of causes. */
export interface ErrorData {
  readonly name: ErrorName;
  readonly message: string;
  /** Parameters of the message for programs; absent if there are none besides the message. */
  readonly params?: ErrorDetails | undefined;
  readonly location?: SqlLocation | undefined;
  readonly resolution?: string | undefined;
  readonly cause?: ErrorData | { readonly message: string } | undefined;
}

/** How much of the beginning and of the end of a long message is kept. */
const KEPT_LENGTH = { beginning: 6_000, end: 2_000 };

/** A message may repeat a name or a value of some megabytes. */
function shortened(message: string): string {
  const { beginning, end } = KEPT_LENGTH;
  if (message.length <= beginning + end) return message;
  return `${message.slice(0, beginning)} … ${message.slice(-end)}`.toWellFormed();
}

/** Every failure that Tessera reports is one of these; any other thrown value is a defect. */
export class TesseraError extends Error {
  override readonly name: ErrorName;
  readonly location: SqlLocation | undefined;
  readonly resolution: string | undefined;
  /** See `ErrorData.params`. */
  readonly params: ErrorDetails | undefined;

  private constructor(name: ErrorName, message: string, extras: ErrorExtras, params?: ErrorDetails) {
    super(shortened(message), extras.cause === undefined ? undefined : { cause: extras.cause });
    this.name = name;
    this.params = params;
    this.location = extras.location;
    this.resolution = extras.resolution;
  }

  static of<N extends ErrorName>(name: N, params: ErrorParams<N>, extras: ErrorExtras = {}): TesseraError {
    const template = ERRORS[name].message as (p: ErrorParams<N>) => string;
    return new TesseraError(name, template(params), extras, 'message' in params ? undefined : params);
  }

  static fromData(data: ErrorData): TesseraError {
    const cause =
      data.cause === undefined
        ? undefined
        : 'name' in data.cause
          ? TesseraError.fromData(data.cause)
          : new Error(data.cause.message);
    return new TesseraError(data.name, data.message, { ...data, cause }, data.params);
  }

  get sqlState(): string {
    return ERRORS[this.name].sqlState;
  }
  get httpStatus(): number {
    return ERRORS[this.name].httpStatus;
  }
  get retry(): RetryClass {
    return ERRORS[this.name].retry;
  }

  toData(): ErrorData {
    const cause =
      this.cause === undefined
        ? undefined
        : this.cause instanceof TesseraError
          ? this.cause.toData()
          : { message: this.cause instanceof Error ? this.cause.message : String(this.cause) };
    return {
      name: this.name,
      message: this.message,
      params: this.params,
      location: this.location,
      resolution: this.resolution,
      cause,
    };
  }

  /** The same error with another message, or with a location in the statement. */
  with(changes: { message?: string; location?: SqlLocation | undefined }): TesseraError {
    const extras = { location: this.location, resolution: this.resolution, cause: this.cause, ...changes };
    return new TesseraError(this.name, changes.message ?? this.message, extras, this.params);
  }
}

/** Shorthand for `throw TesseraError.of(...)` where an expression is needed. */
export function fail<N extends ErrorName>(name: N, params: ErrorParams<N>, extras?: ErrorExtras): never {
  throw TesseraError.of(name, params, extras);
}
