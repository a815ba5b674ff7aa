import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { clusterToken } from './cluster-token.ts';

it('comes from the environment, before the file', () => {
  expect(clusterToken({})).toBeUndefined();
  expect(clusterToken({ TESSERA_CLUSTER_TOKEN: 'sixteen-or-longer' })).toBe('sixteen-or-longer');
});

it('comes from a file, without its line end', () => {
  const directory = mkdtempSync(join(tmpdir(), 'tessera-token-'));
  try {
    const file = join(directory, 'token');
    writeFileSync(file, 'sixteen-or-longer\n');
    expect(clusterToken({ TESSERA_CLUSTER_TOKEN_FILE: file })).toBe('sixteen-or-longer');
    expect(() => clusterToken({ TESSERA_CLUSTER_TOKEN_FILE: join(directory, 'none') })).toThrow(
      'cannot be read',
    );
  } finally {
    rmSync(directory, { recursive: true });
  }
});

it('is refused when it is easy to guess or cannot be sent', () => {
  for (const token of ['', 'short', 'has a space in the middle']) {
    expect(() => clusterToken({ TESSERA_CLUSTER_TOKEN: token })).toThrow('at least 16 characters');
  }
});
