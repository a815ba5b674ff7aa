/** What the program tells its caller; 130 is what shells expect after Ctrl-C. */
export const EXIT = { ok: 0, failed: 1, queryError: 1, usage: 2, connection: 3, interrupted: 130 } as const;

/** Ends a command with a message on stderr; not a defect, so without a stack. */
export class CommandFailure extends Error {
  readonly exitCode: number;

  constructor(exitCode: number, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}
