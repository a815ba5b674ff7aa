import { flushCompileCache } from 'node:module';
import { createServer, type Socket } from 'node:net';
import { SpillFiles } from '@tessera/common';
import { type InstanceOptions, NativeInstance } from '../instance/instance.ts';
import { RegisteredMemory } from '../native/registered-memory.ts';
import type { ControlAnswer, ControlMessage, ControlRequest, MemoryLimits } from '../protocol/messages.ts';
import { appendPayloads } from './append-input.ts';
import { LimitedInstances } from './limited-instances.ts';
import { MemoryCeiling, reserveStacks } from './memory-ceiling.ts';
import { memoryUse } from './memory-use.ts';
import { MemoryWatch } from './memory-watch.ts';
import { ReceivedMemory } from './received-memory.ts';
import { reserveHeap } from './reserved-heap.ts';
import { SessionServer, UNKNOWN_PROGRESS } from './session-server.ts';

/**
 * The options that the supervisor passes as the only argument, in JSON. The bootstrap is too long for that
 * and is the first message.
 */
export interface KernelProcessOptions extends Omit<InstanceOptions, 'bootstrap'> {
  readonly socketPath: string;
  /** The limit of the process's private memory. */
  readonly ceilingBytes: number;
  /** Locked memory for received rows, as far as `REGISTERED_SHARE` permits. */
  readonly registeredBytes: number;
}

/**
 * The fraction of the memory outside the kernel's own accounting that received rows may use. Rows beyond it
 * go to files.
 */
const RECEIVED_SHARE = 1 / 8;
/** The fraction of it that may be registered: rows in small messages and in messages of other sizes need the rest. */
const REGISTERED_SHARE = 1 / 2;

/**
 * V8 collects the old generation at the latest when it has grown by 16 MiB, the young generation and half of what was
 * alive.
 */
const HEAP_RESERVE_BYTES = 32 << 20;

const options = JSON.parse(process.argv[2] ?? '{}') as KernelProcessOptions;

// The channel closes when the node process ends, however it ends. A plain exit would run the library's
// destructors while its own threads are running.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// A terminal sends Ctrl-C to the whole process group; the node process decides when this one ends.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);

const bootstrap = await new Promise<readonly string[]>((resolve) => process.once('message', resolve));
// The threads whose stacks are reserved sleep, so this takes no time from the concurrent bootstrap.
const [instance] = await Promise.all([NativeInstance.open({ ...options, bootstrap }), reserveStacks()]);
const control = instance.connect();
const sessions = new Map<number, SessionServer>();
const receivedBytes = (options.ceilingBytes - options.memoryLimitBytes) * RECEIVED_SHARE;
const registeredBytes = Math.min(options.registeredBytes, Math.floor(receivedBytes * REGISTERED_SHARE));
const received = new ReceivedMemory(receivedBytes - registeredBytes);
const files = new SpillFiles(options.spillDirectory, options.spillLimitBytes);

// A kernel process is killed and never exits, so it would not write what it compiled into the cache for later ones.
flushCompileCache();
const ceiling = await MemoryCeiling.prepare(reserveHeap(HEAP_RESERVE_BYTES));
ceiling?.set(options.ceilingBytes);
const watch = ceiling && new MemoryWatch(ceiling, sessions);
// Only now, so that it counts as memory of the process.
appendPayloads.register(RegisteredMemory.open(registeredBytes));
createServer((socket) => serve(instance, socket)).listen(options.socketPath, () => send({ kind: 'ready' }));

function serve(from: NativeInstance, socket: Socket): void {
  try {
    new SessionServer(from, socket, sessions, received, files, ceiling, watch);
  } catch {
    // There is no memory for another connection. Its session is lost, the others are not.
    socket.destroy();
  }
}

process.on('message', async (request: ControlRequest) => {
  try {
    send({ kind: 'answer', id: request.id, value: await answer(request) });
  } catch (error) {
    send({ kind: 'answer', id: request.id, error: error instanceof Error ? error.message : String(error) });
  }
});

/** The control connection runs one statement at a time. */
let lastOnControl: Promise<unknown> = Promise.resolve();

async function answer(request: ControlRequest): Promise<ControlAnswer> {
  if (request.op === 'progress') {
    return sessions.get(request.session)?.progress(request.planned) ?? UNKNOWN_PROGRESS;
  }
  if (request.op === 'limitThreads') return limited.socketFor(request.threads);
  return onControl<ControlAnswer>(() =>
    request.op === 'memory' ? wholeMemoryUse() : setLimits(request.limits, request.ifItFits),
  );
}

const limited = new LimitedInstances({
  instance: { ...options, bootstrap },
  socketPath: options.socketPath,
  others: control,
  serve,
  onThreads: (threads) => ceiling?.setFurtherThreads(threads),
  inTurn: onControl,
});

async function wholeMemoryUse() {
  const [most, rest] = [await memoryUse(control, files.usedBytes), await limited.memoryUse()];
  return {
    usedBytes: most.usedBytes + rest.usedBytes,
    spilledBytes: most.spilledBytes + rest.spilledBytes,
  };
}

function onControl<T>(run: () => Promise<T>): Promise<T> {
  const ran = lastOnControl.then(run);
  lastOnControl = ran.catch(() => undefined);
  return ran;
}

let limits: MemoryLimits = options;

/**
 * Returns whether the limits are in effect: false if the process exceeds the ceiling and `ifItFits` is set.
 */
async function setLimits(wanted: MemoryLimits, ifItFits: boolean): Promise<boolean> {
  const { spillLimitBytes } = options;
  await limited.setSpace({ ...wanted, spillLimitBytes });
  const fits = (await ceiling?.allows(wanted.ceilingBytes)) ?? true;
  if (ifItFits && !fits) {
    await limited.setSpace({ ...limits, spillLimitBytes });
    return false;
  }
  ceiling?.set(wanted.ceilingBytes);
  limits = wanted;
  return true;
}

function send(message: ControlMessage): void {
  if (process.connected) process.send?.(message);
}
