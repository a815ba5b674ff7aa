import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createLogging, type Logger, type Logging } from '@tessera/common';
import { clearRequestDirectories } from '@tessera/coordinator';
import { lockDataDirectory } from './data-directory.ts';
import { collectWhenIdle } from './idle-heap.ts';
import { ListenerTls } from './listener-tls.ts';
import { logEvents } from './logged-events.ts';
import { NodeMetrics } from './metrics/node-metrics.ts';
import type { ServeOptions } from './serve-options.ts';
import { startTracing } from './tracing/start-tracing.ts';

/** The logs, metrics and directories of a node, which it opens before its data. */
export interface NodeProcess {
  readonly logging: Logging;
  readonly log: Logger;
  readonly tls: ListenerTls | undefined;
  readonly metrics: NodeMetrics;
  /** The directory for the files of requests. */
  readonly uploadRoot: string;
}

/** Starts logs, traces and metrics, and locks the data directory. `resources` ends them. */
export async function openNodeProcess(
  options: ServeOptions,
  resources: AsyncDisposableStack,
): Promise<NodeProcess> {
  const { config, dataDirectory } = options;
  const logging = createLogging(config.logging, {
    colour: process.stderr.isTTY === true,
    fields: { engine: config.engine.id },
  });
  resources.defer(() => logging.close());
  const log = logging.logger('engine');
  const tls = ListenerTls.open(options.tls, log);
  const onHangUp = () => {
    logging.reopen();
    tls?.reload();
  };
  process.on('SIGHUP', onHangUp);
  resources.defer(() => void process.off('SIGHUP', onHangUp));
  warnOfConfiguration(options, log);
  resources.defer(await lockDataDirectory(dataDirectory));
  resources.defer(collectWhenIdle());
  resources.defer(logEvents(logging));
  resources.defer(
    startTracing(
      process.env,
      { 'tessera.engine': config.engine.id, 'tessera.node': String(options.node) },
      logging.logger('engine'),
    ),
  );
  const metrics = new NodeMetrics(config.engine.id);
  resources.defer(() => metrics.close());
  return { logging, log, tls, metrics, uploadRoot: await emptyUploadRoot(dataDirectory, log) };
}

function warnOfConfiguration({ notYetInEffect, configWarnings }: ServeOptions, log: Logger): void {
  if (notYetInEffect.length > 0) {
    log.warn({ parameters: notYetInEffect }, 'the configuration sets parameters that are not yet in effect');
  }
  for (const warning of configWarnings) log.warn({ warning }, 'the configuration has a weakness');
}

async function emptyUploadRoot(dataDirectory: string, log: Logger): Promise<string> {
  const uploadRoot = join(dataDirectory, 'uploads');
  await mkdir(uploadRoot, { recursive: true });
  const left = await clearRequestDirectories(uploadRoot);
  if (left > 0) log.info({ directories: left }, 'removed files left behind by a crash');
  return uploadRoot;
}
