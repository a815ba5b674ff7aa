import { EngineCluster } from './engine-cluster.ts';
import { startSharedStore } from './shared-store.ts';

/** A cluster, and objects of a bucket that its nodes may read. */
export interface Lake extends AsyncDisposable {
  readonly cluster: EngineCluster;
  /** Puts an object at `s3://lake/files/<name>`. */
  put(name: string, body: string | Uint8Array<ArrayBuffer>): Promise<void>;
  /** The object at `s3://lake/files/<name>`. */
  get(name: string): Promise<ArrayBuffer>;
}

export async function startLake(nodes: number): Promise<Lake> {
  await using stack = new AsyncDisposableStack();
  const store = stack.use(await startSharedStore());
  const cluster = stack.use(
    await EngineCluster.start({
      nodes,
      store,
      // A merge would leave fewer tablets than the nodes have written.
      execution: { merge_committed_tablets: false },
      storage: { bucket_name: 'lake', default_s3_endpoint_override: store.endpoint },
      args: ['--allow-url', 's3://lake/files', '--allow-write', 's3://lake/files'],
    }),
  );
  const authorization = `AWS4-HMAC-SHA256 Credential=${store.env.AWS_ACCESS_KEY_ID}/20260101/us-east-1/s3/aws4_request`;
  const held = stack.move();
  return {
    cluster,
    put: async (name, body) => {
      const url = `${store.endpoint}/lake/files/${name}`;
      const answer = await fetch(url, { method: 'PUT', body: Buffer.from(body), headers: { authorization } });
      if (!answer.ok) throw new Error(`PUT ${url}: ${answer.status} ${await answer.text()}`);
    },
    get: async (name) => {
      const url = `${store.endpoint}/lake/files/${name}`;
      const answer = await fetch(url, { headers: { authorization } });
      if (!answer.ok) throw new Error(`GET ${url}: ${answer.status} ${await answer.text()}`);
      return answer.arrayBuffer();
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}
