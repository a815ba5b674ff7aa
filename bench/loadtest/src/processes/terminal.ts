import { spawn } from 'node:child_process';
import { PATH } from './installed-package.ts';
import { undoneAtExit } from './undone-at-exit.ts';

/** A program on a pseudo-terminal, which `script` of util-linux makes. */
export class Terminal {
  readonly #stop: () => void;
  readonly #type: (text: string) => void;
  readonly #ended: Promise<void>;
  #screen = '';
  #changed = Promise.withResolvers<void>();
  #hasEnded = false;

  /** @param command for a shell of the system, which replaces itself by the program */
  constructor(command: string, directory: string) {
    const child = spawn('script', ['--quiet', '--flush', '--command', `exec ${command}`, '/dev/null'], {
      cwd: directory,
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, PATH, TERM: 'xterm' },
    });
    // The program may have ended.
    child.stdin.on('error', () => undefined);
    this.#type = (text) => void child.stdin.write(text);
    this.#stop = undoneAtExit(() => child.kill('SIGTERM'));
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#screen += text;
      this.#notify();
    });
    this.#ended = new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', () => {
        this.#hasEnded = true;
        this.#notify();
        resolve();
      });
    });
    this.#ended.catch(() => undefined);
  }

  /** Types a text, and forgets what the terminal showed before. */
  type(text: string): void {
    this.#screen = '';
    this.#type(text);
  }

  /** Resolves when the terminal shows a match. @throws Error if the program ends before */
  async until(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.#screen)) {
      if (this.#hasEnded) throw new Error(`The program ended before it showed ${pattern}:\n${this.#screen}`);
      await Promise.race([this.#changed.promise, this.#ended]);
    }
  }

  /** Resolves when the program has ended. */
  async ended(): Promise<void> {
    await this.#ended;
    this.#stop();
  }

  #notify(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
