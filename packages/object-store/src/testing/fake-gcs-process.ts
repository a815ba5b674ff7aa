/** The fake of Google Cloud Storage. Its argument is the list of buckets, as JSON with public keys as PEM. Prints `{endpoint}`. */
import { createPublicKey } from 'node:crypto';
import { FakeGcs } from './fake-gcs.ts';
import { serveUntilInputEnds } from './server-program.ts';

type Bucket = string | { readonly bucket: string; readonly account: string; readonly publicKey: string };

const buckets: readonly Bucket[] = JSON.parse(process.argv[2]!);
const server = new FakeGcs(
  ...buckets.map((one) =>
    typeof one === 'string' ? one : { ...one, publicKey: createPublicKey(one.publicKey) },
  ),
);
await serveUntilInputEnds({ endpoint: await server.start() }, () => server[Symbol.asyncDispose]());
