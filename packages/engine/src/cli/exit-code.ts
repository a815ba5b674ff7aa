/** The exit codes of the program; shells expect 130 after Ctrl-C. */
export const EXIT = { ok: 0, failed: 1, queryError: 1, usage: 2, connection: 3, interrupted: 130 } as const;

/** Ends a command with a message on stderr. It is not a defect, so no stack is printed. */
export class CommandFailure extends Error {
  readonly exitCode: number;

  constructor(exitCode: number, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}
