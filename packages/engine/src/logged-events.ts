import { createLogging, type LogComponent, type Logging } from '@tessera/common';
import type { EngineConfig } from '@tessera/config';
import { queryEnds, vacuumJobEnds } from '@tessera/coordinator';
import { storeRequests } from '@tessera/object-store';
import { rpcCalls } from '@tessera/rpc';
import { refinementFailures, taskEnds } from '@tessera/scheduler';
import { collectionEnds, commitEnds } from '@tessera/storage-manager';

interface Source<T> {
  listen(listener: (event: T) => void): () => void;
}

/** Opens the log of a service other than a node. SIGHUP reopens its files; `resources` closes it. */
export function openServiceLogging(
  { logging: settings, engine }: EngineConfig,
  resources: AsyncDisposableStack,
): Logging {
  const logging = createLogging(settings, {
    colour: process.stderr.isTTY === true,
    fields: { engine: engine.id },
  });
  resources.defer(() => logging.close());
  const reopen = () => logging.reopen();
  process.on('SIGHUP', reopen);
  resources.defer(() => void process.off('SIGHUP', reopen));
  return logging;
}

/**
 * Logs the events that the packages publish: plans that could not be refined at error; each statement that has ended at
 * debug; tasks, commits, calls of the object store and of other nodes at trace. A component whose level is higher is not
 * listened to. Returns a function that stops it.
 */
export function logEvents(logging: Logging): () => void {
  const at = <T extends object>(
    level: 'error' | 'debug' | 'trace',
    component: LogComponent,
    source: Source<T>,
    message: string,
  ) => {
    const log = logging.logger(component);
    return log.isLevelEnabled(level) ? [source.listen((event) => log[level](event as object, message))] : [];
  };
  const stops = [
    ...at('error', 'query', refinementFailures, 'a plan could not be refined; the query continues without'),
    ...at('debug', 'query', queryEnds, 'statement ended'),
    ...at('trace', 'query', taskEnds, 'task of a stage ended'),
    ...at('trace', 'object-store', storeRequests, 'object store called'),
    ...at('trace', 'rpc', rpcCalls, 'another node called'),
    ...at('trace', 'storage-manager', commitEnds, 'commit ended'),
    ...at('trace', 'storage-manager', collectionEnds, 'garbage collected'),
    ...at('trace', 'maintenance', vacuumJobEnds, 'tablets of a table rewritten'),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
