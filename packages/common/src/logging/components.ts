/**
 * The components that log, each with the subject of its messages; `logging.components` sets the level of a
 * component.
 */
export const LOG_COMPONENTS = {
  admission: 'queries that wait, and warnings that none was admitted',
  auth: 'logins, tokens and users',
  backup: '`tessera backup` and `tessera restore`',
  broadcast: 'the other clusters of the engine, and the service that connects them',
  cluster: 'the other nodes: which are alive, what they were asked',
  distexec: 'tasks of distributed queries',
  engine: 'start, listeners and shutdown of a node',
  http: 'the HTTP endpoint',
  kernel: 'the kernel processes that execute queries',
  logging: 'the log itself',
  maintenance: 'merging of tablets and automatic vacuum',
  metadata: 'the metadata service',
  mirror: 'the kernel process that plans queries',
  'object-store': 'calls of the object store, at trace',
  postgres: 'the PostgreSQL endpoint',
  query: 'each statement when it has ended, at debug; its steps, at trace',
  repair: '`tessera repair`',
  rpc: 'the ports at which nodes call each other',
  shuffle: 'exchanges between nodes',
  'storage-agent': 'the tablets that the node keeps in memory and on disk',
  'storage-manager': 'the metadata log: commits, checkpoints, garbage',
} as const;

export type LogComponent = keyof typeof LOG_COMPONENTS;
