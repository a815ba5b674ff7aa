import type { Authenticator } from '@tessera/auth';
import type { Logger } from '@tessera/common';
import type { NodeCredentials } from '@tessera/rpc';
import { expect, it } from 'vitest';
import { warnOfOpenNodePorts } from './listener-warnings.ts';

function warnings(mode: Authenticator['mode'], credentials: Partial<NodeCredentials>): readonly string[] {
  const told: string[] = [];
  const log = { warn: (_: object, message: string) => told.push(message) } as unknown as Logger;
  warnOfOpenNodePorts(
    { clusterToken: undefined, tls: undefined, ...credentials },
    { mode } as Authenticator,
    log,
  );
  return told;
}

it('warns about ports between nodes without authentication if users must log in', () => {
  expect(warnings('native', {})).toEqual([
    expect.stringMatching(/^the ports between nodes have no authentication/),
  ]);
  expect(warnings('oidc', { clusterToken: 'a secret' })).toEqual([]);
  expect(warnings('disabled', {})).toEqual([]);
});
