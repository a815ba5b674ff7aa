import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

interface BreakingProxy extends AsyncDisposable {
  readonly address: string;
  /** The number of connections that were broken. */
  broken(): number;
}

/** Forwards data to and from `target`; connection i breaks after this many bytes were returned on it. */
export async function breakingProxy(target: string, breaks: readonly number[]): Promise<BreakingProxy> {
  const [host = '', port] = target.split(':');
  const limits = [...breaks];
  const sockets = new Set<Socket>();
  let broken = 0;
  const server = createServer((client) => {
    const limit = limits.shift() ?? Number.POSITIVE_INFINITY;
    const upstream = connect(Number(port), host);
    let passed = 0;
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', end).on('close', end);
    }
    client.pipe(upstream);
    upstream.on('data', (bytes) => {
      passed += bytes.length;
      if (passed <= limit) {
        client.write(bytes);
        return;
      }
      broken++;
      end();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    broken: () => broken,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
