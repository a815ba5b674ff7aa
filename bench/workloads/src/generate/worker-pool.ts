import { Worker } from 'node:worker_threads';

/** The number of tasks per thread, including the running one. */
const TASKS_PER_THREAD = 2;

/** Threads that run one module, which answers each message with one message. */
export class WorkerPool<Task, Answer> {
  readonly #threads: readonly Thread<Task, Answer>[];

  constructor(module: URL, threads: number, workerData: unknown) {
    this.#threads = Array.from({ length: threads }, () => new Thread(new Worker(module, { workerData })));
  }

  /**
   * Yields the answers in the order of the tasks. Unread answers keep further tasks from starting, so that
   * few wait in memory. @throws the error of a thread
   */
  async *run(tasks: Iterable<Task>): AsyncGenerator<Answer> {
    const answers: Promise<Answer>[] = [];
    let next = 0;
    for (const task of tasks) {
      if (answers.length === TASKS_PER_THREAD * this.#threads.length) yield await answers.shift()!;
      const answer = this.#threads[next++ % this.#threads.length]!.ask(task);
      // A failure while another answer is awaited must not count as an unhandled rejection.
      answer.catch(() => {});
      answers.push(answer);
    }
    for (const answer of answers) yield await answer;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.stop()));
  }
}

class Thread<Task, Answer> {
  readonly #worker: Worker;
  readonly #waiting: PromiseWithResolvers<Answer>[] = [];

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.on('message', (answer: Answer) => this.#waiting.shift()!.resolve(answer));
    worker.on('error', (error) => this.#fail(error));
  }

  ask(task: Task): Promise<Answer> {
    const answer = Promise.withResolvers<Answer>();
    this.#waiting.push(answer);
    this.#worker.postMessage(task);
    return answer.promise;
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }

  #fail(error: unknown): void {
    for (const answer of this.#waiting.splice(0)) answer.reject(error);
  }
}
