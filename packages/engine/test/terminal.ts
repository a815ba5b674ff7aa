import { type ChildProcess, spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { MAIN } from './programs.ts';

/**
 * Runs a command on a pseudo-terminal of 80 × 24 characters and relays its input and output. SIGTERM ends it with the command,
 * which might survive the end of its terminal.
 */
const RELAY = `
import os, pty, signal, sys
def command():
    os.system('stty cols 80 rows 24')
pid, fd = pty.fork()
if pid == 0:
    command()
    os.execvp(sys.argv[1], sys.argv[1:])
import select
def end(*_):
    os.kill(pid, signal.SIGKILL)
    os._exit(1)
signal.signal(signal.SIGTERM, end)
inputs = [0, fd]
while True:
    ready, _, _ = select.select(inputs, [], [])
    if 0 in ready:
        data = os.read(0, 65536)
        if data: os.write(fd, data)
        else: inputs.remove(0)
    if fd in ready:
        try: data = os.read(fd, 65536)
        except OSError: break
        if not data: break
        os.write(1, data)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;

/** `tessera` on a real terminal. */
export class TesseraTerminal {
  readonly #child: ChildProcess;
  readonly #waiting = new Set<() => void>();
  #screen = '';
  /** The beginning of a control sequence whose end has not arrived. */
  #unread = '';
  #hasEnded = false;
  /** The exit code. */
  readonly ended: Promise<number | null>;

  constructor(
    args: readonly string[],
    { env = {}, cwd }: { env?: Readonly<Record<string, string>>; cwd?: string } = {},
  ) {
    this.#child = spawn('python3', ['-c', RELAY, process.execPath, MAIN, ...args], {
      cwd,
      env: { ...process.env, TERM: 'xterm', ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      const all = this.#unread + text;
      const end = all.length - unfinishedSequence(all);
      this.#unread = all.slice(end);
      this.#screen += stripVTControlCharacters(all.slice(0, end)).replaceAll('\r', '');
      this.#notify();
    });
    this.ended = new Promise((resolve) => {
      this.#child.once('close', (code) => {
        this.#hasEnded = true;
        this.#notify();
        resolve(code);
      });
    });
  }

  type(keys: string): void {
    this.#child.stdin!.write(keys);
  }

  /** Waits until the output since the last call matches, and returns it up to the end of the match. */
  async until(pattern: RegExp): Promise<string> {
    for (;;) {
      const match = pattern.exec(this.#screen);
      if (match !== null) {
        const end = match.index + match[0].length;
        const output = this.#screen.slice(0, end);
        this.#screen = this.#screen.slice(end);
        return output;
      }
      if (this.#hasEnded) throw new Error(`The program ended without ${pattern}: ${this.#screen}`);
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  /** Types a line and returns the output up to the next prompt, without the line. */
  async run(line: string): Promise<string> {
    this.type(`${line}\r`);
    await this.until(/\n/);
    const output = await this.until(PROMPT);
    return output.replace(PROMPT, '');
  }

  close(): void {
    this.#child.kill();
  }

  #notify(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}

/** The length of a control sequence at the end of the text that is not complete; 0 if there is none. */
function unfinishedSequence(text: string): number {
  const at = text.lastIndexOf('\u001b');
  return at >= 0 && /^(?:\[[\d;?]*)?$/.test(text.slice(at + 1)) ? text.length - at : 0;
}

export const PROMPT = /(?:tessera|other)\*?> /;
