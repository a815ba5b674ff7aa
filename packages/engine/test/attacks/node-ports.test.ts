import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRpcChannel, StorageManagerService } from '@tessera/rpc';
import { expect, it, onTestFinished } from 'vitest';
import { writeNativeConfig } from '../native-node.ts';
import { startTessera } from '../tessera-process.ts';

it('the ports between nodes answer nobody if a single node requires authentication', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'tessera-node-ports-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  await using node = await startTessera({ args: ['--config', writeNativeConfig(directory)] });
  const listeners = node.log.find(({ msg }) => msg === 'listening')?.['listeners'] as string[];
  const address = listeners.find((one) => one.startsWith('storage-manager '))?.split('grpc://')[1];
  for (const clusterToken of [undefined, '', 'undefined', 'x'.repeat(16)]) {
    const channel = openRpcChannel({
      address: address ?? '',
      clusterToken,
      unanswered: (reason) => {
        throw new Error(reason);
      },
    });
    const { latest } = channel.client(StorageManagerService);
    await expect(latest({})).rejects.toMatchObject({ name: 'UNAUTHENTICATED' });
    channel.close();
  }
});
