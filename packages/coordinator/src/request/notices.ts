/** Information for the client that accompanies the result of a statement; it is not an error. */
export interface Notice {
  /** NOTICE for information, WARNING for something that the client probably did not intend. */
  readonly severity: 'NOTICE' | 'WARNING';
  readonly sqlState: string;
  readonly message: string;
  /** What the reader can do about it, in one sentence. */
  readonly resolution?: string | undefined;
}

/** The SQLSTATE of a NOTICE without a condition of its own. */
const SUCCESSFUL_COMPLETION = '00000';
/** The SQLSTATE of a WARNING without a condition of its own. */
const GENERAL_WARNING = '01000';

/** The maximum number of notices: a statement could produce one for each of its rows. */
const MAX_NOTICES = 100;

/**
 * The notices of one query. Every endpoint sends them: HTTP as `warnings` of JSON answers and as a header,
 * PostgreSQL as NoticeResponse. Duplicates are dropped, so that a retried statement does not repeat them.
 */
export class Notices {
  readonly #notices = new Map<string, Notice>();
  #listener: ((notice: Notice) => void) | undefined;

  get all(): readonly Notice[] {
    return [...this.#notices.values()];
  }

  add(notice: Notice): void {
    const { severity, message } = notice;
    const key = `${severity} ${message}`;
    if (this.#notices.size >= MAX_NOTICES || this.#notices.has(key)) return;
    this.#notices.set(key, notice);
    this.#listener?.(notice);
  }

  /** Adds a NOTICE with SQLSTATE 00000 or the given one. */
  notice(message: string, extras: Partial<Pick<Notice, 'sqlState' | 'resolution'>> = {}): void {
    this.add({ severity: 'NOTICE', sqlState: SUCCESSFUL_COMPLETION, message, ...extras });
  }

  /** Adds a WARNING with SQLSTATE 01000 or the given one. */
  warn(message: string, extras: Partial<Pick<Notice, 'sqlState' | 'resolution'>> = {}): void {
    this.add({ severity: 'WARNING', sqlState: GENERAL_WARNING, message, ...extras });
  }

  /** Calls the listener with every notice from now on, as it is added. */
  listen(listener: (notice: Notice) => void): void {
    this.#listener = listener;
  }
}
