import type { S3DevServer, S3DevServerOptions } from './s3-dev-server.ts';

/** Loads the server and starts it: a node needs none. See `S3DevServer.start`. */
export async function startS3DevServer(options: S3DevServerOptions): Promise<S3DevServer> {
  return (await import('./s3-dev-server.ts')).S3DevServer.start(options);
}
