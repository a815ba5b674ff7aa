/** One connection of a client to the measured system. */
export interface Session {
  /** Sends a request and reads the whole answer. @throws if that fails, or if the answer is wrong */
  send(request: number): Promise<void>;
  close(): Promise<void>;
}

/** Requests of one kind. */
export interface Traffic {
  readonly name: string;
  open(): Promise<Session>;
}

/** Thrown if an answer is impossible. */
export class WrongAnswer extends Error {}
