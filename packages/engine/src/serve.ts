import { mkdir } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { createLogging } from '@tessera/common';
import { memoryLimitBytes } from '@tessera/config';
import { consolePage } from '@tessera/console';
import { Coordinator } from '@tessera/coordinator';
import {
  clearUploadDirectories,
  createHealthServer,
  createMetricsServer,
  createQueryServer,
  DEFAULT_UPLOAD_LIMITS,
  HttpMetrics,
} from '@tessera/http-api';
import { startKernel } from '@tessera/kernel';
import { ExternalSources } from '@tessera/object-store';
import { kernelBootstrap } from '@tessera/sql';
import { printBanner } from './banner.ts';
import { lockDataDirectory } from './data-directory.ts';
import { closeListeners, openListeners } from './listeners.ts';
import type { Serve } from './serve-options.ts';
import { shutdownSignal } from './shutdown-signal.ts';

/** How long a client may take no byte of its result. */
const WRITE_IDLE_MS = 300_000;

/** Runs a node until it is told to stop, and leaves nothing behind. */
export const serve: Serve = async (options) => {
  const { config } = options;
  const logging = createLogging(config.logging);
  const log = logging.logger('engine');
  const unlock = await lockDataDirectory(options.dataDirectory);
  const uploadRoot = join(options.dataDirectory, 'uploads');
  await mkdir(uploadRoot, { recursive: true });
  const left = await clearUploadDirectories(uploadRoot);
  if (left > 0) log.info({ directories: left }, 'removed what requests had left behind at a crash');

  const kernel = await startKernel({
    directory: join(options.dataDirectory, 'kernel'),
    readableDirectories: [uploadRoot, ...options.allowRead],
    memoryLimitBytes: memoryLimitBytes(config, totalmem()),
    threads: config.execution.max_threads,
    bootstrap: kernelBootstrap,
    log: logging.logger('kernel'),
  });
  const coordinator = new Coordinator({
    kernel,
    external: new ExternalSources({ directories: options.allowRead, urlPrefixes: options.allowUrl }),
    engineId: config.engine.id,
  });
  const metrics = new HttpMetrics({
    runningQueries: () => coordinator.running.size,
    kernelRestarts: () => kernel.status().restarts,
  });
  const ready = () => coordinator.ready;
  const listeners = await openListeners(options, {
    query: () =>
      createQueryServer({
        coordinator,
        uploadRoot,
        limits: DEFAULT_UPLOAD_LIMITS,
        writeIdleMs: WRITE_IDLE_MS,
        metrics,
        log: logging.logger('http'),
        instanceId: config.instance.id,
        consolePage: consolePage(),
      }),
    health: () => createHealthServer(ready),
    metrics: () => createMetricsServer(metrics),
  });
  log.info({ listeners: listeners.map((l) => `${l.purpose} ${l.address}`) }, 'listening');
  printBanner(listeners, options);

  const reopen = () => logging.reopen();
  process.on('SIGHUP', reopen);
  const reason = await shutdownSignal();
  log.info({ reason, running: coordinator.running.size }, 'draining');
  await coordinator.drain(config.engine.termination_grace_period);
  await closeListeners(listeners);
  await kernel.close();
  await unlock();
  process.off('SIGHUP', reopen);
  log.info({}, 'stopped');
  await logging.close();
};
