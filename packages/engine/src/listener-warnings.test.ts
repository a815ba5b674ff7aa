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

it('ports between nodes that ask nobody are told of where users are asked', () => {
  expect(warnings('native', {})).toEqual([expect.stringMatching(/^the ports between nodes ask nobody/)]);
  expect(warnings('oidc', { clusterToken: 'a secret' })).toEqual([]);
  expect(warnings('disabled', {})).toEqual([]);
});
