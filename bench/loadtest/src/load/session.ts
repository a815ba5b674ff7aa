/** One connection of a client to what is measured. */
export interface Session {
  /** Sends a request and reads the whole answer. @throws when that fails, or the answer is not the right one */
  send(request: number): Promise<void>;
  close(): Promise<void>;
}

/** Requests of one kind. */
export interface Traffic {
  readonly name: string;
  open(): Promise<Session>;
}

/** Thrown where what was answered cannot be. */
export class WrongAnswer extends Error {}
