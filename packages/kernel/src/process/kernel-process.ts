import { createServer } from 'node:net';
import { type InstanceOptions, NativeInstance } from '../native/instance.ts';
import type { ControlAnswer, ControlMessage, ControlRequest } from '../protocol/messages.ts';
import { memoryUse } from './memory-use.ts';
import { SessionServer } from './session-server.ts';

/** What the supervisor passes as the only argument, in JSON. */
export interface KernelProcessOptions extends InstanceOptions {
  readonly socketPath: string;
}

const options = JSON.parse(process.argv[2] ?? '{}') as KernelProcessOptions;

// The channel closes when the node process ends, however it does. A plain exit would run the library's destructors
// under its own running threads.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// A terminal sends Ctrl-C to the whole group; the node process decides when this one ends.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);

const instance = await NativeInstance.open(options);
const control = instance.connect();
const sessions = new Map<number, SessionServer>();

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
