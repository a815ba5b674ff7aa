/** Something that a statement tells its client beside its result; it is not an error. */
export interface Notice {
  /** NOTICE for information, WARNING for what is probably not what the client wants. */
  readonly severity: 'NOTICE' | 'WARNING';
  readonly sqlState: string;
  readonly message: string;
  /** What the reader can do about it, one sentence. */
  readonly resolution?: string | undefined;
}

/** SQLSTATE class of a NOTICE that has no condition of its own. */
const SUCCESSFUL_COMPLETION = '00000';
/** SQLSTATE class of a WARNING that has no condition of its own. */
const GENERAL_WARNING = '01000';

/** More than these are not kept: a statement could make one for each of its rows. */
const MAX_NOTICES = 100;

/**
 * The notices of one query. Every endpoint sends them: HTTP as `warnings` of JSON answers and as a header, PostgreSQL as
 * NoticeResponse. A notice that is there already is not added again, so that a retried statement tells it once.
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

  /** Adds a NOTICE with the SQLSTATE 00000, or the one that is given. */
  notice(message: string, extras: Partial<Pick<Notice, 'sqlState' | 'resolution'>> = {}): void {
    this.add({ severity: 'NOTICE', sqlState: SUCCESSFUL_COMPLETION, message, ...extras });
  }

  /** Adds a WARNING with the SQLSTATE 01000, or the one that is given. */
  warn(message: string, extras: Partial<Pick<Notice, 'sqlState' | 'resolution'>> = {}): void {
    this.add({ severity: 'WARNING', sqlState: GENERAL_WARNING, message, ...extras });
  }

  /** Calls the listener with every notice from now on, as it is added. */
  listen(listener: (notice: Notice) => void): void {
    this.#listener = listener;
  }
}
