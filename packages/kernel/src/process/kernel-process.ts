import { createServer } from 'node:net';
import { type InstanceOptions, NativeInstance } from '../native/instance.ts';
import type { ControlAnswer, ControlMessage, ControlRequest } from '../protocol/messages.ts';
import { setMemoryCeiling } from './memory-ceiling.ts';
import { memoryUse } from './memory-use.ts';
import { SessionServer } from './session-server.ts';

/** What the supervisor passes as the only argument, in JSON; its bootstrap is too long for that and is the first message. */
export interface KernelProcessOptions extends Omit<InstanceOptions, 'bootstrap'> {
  readonly socketPath: string;
  /** Of memory of its own, what the whole process may have. */
  readonly ceilingBytes: number;
}

const options = JSON.parse(process.argv[2] ?? '{}') as KernelProcessOptions;

// The channel closes when the node process ends, however it does. A plain exit would run the library's destructors
// under its own running threads.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// A terminal sends Ctrl-C to the whole group; the node process decides when this one ends.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);

const bootstrap = await new Promise<readonly string[]>((resolve) => process.once('message', resolve));
const instance = await NativeInstance.open({ ...options, bootstrap });
const control = instance.connect();
const sessions = new Map<number, SessionServer>();

await setMemoryCeiling(options.ceilingBytes);
createServer((socket) => new SessionServer(instance, socket, sessions)).listen(options.socketPath, () =>
  send({ kind: 'ready' }),
);

process.on('message', async (request: ControlRequest) => {
  try {
    send({ kind: 'answer', id: request.id, value: await answer(request) });
  } catch (error) {
    send({ kind: 'answer', id: request.id, error: error instanceof Error ? error.message : String(error) });
  }
});

/** The control connection runs one statement at a time. */
let memory: Promise<unknown> = Promise.resolve();

async function answer(request: ControlRequest): Promise<ControlAnswer> {
  if (request.op === 'progress') {
    return sessions.get(request.session)?.progress() ?? { fraction: -1, rowsProcessed: 0, rowsTotal: 0 };
  }
  const use = memory.then(() => memoryUse(control));
  memory = use.catch(() => undefined);
  return use;
}

function send(message: ControlMessage): void {
  if (process.connected) process.send?.(message);
}
