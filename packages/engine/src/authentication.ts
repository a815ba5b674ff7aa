import { type Authenticator, disabledAuthenticator } from '@tessera/auth';
import { TesseraError } from '@tessera/common';
import type { EngineConfig } from '@tessera/config';
import type { Instance, TokenSource } from '@tessera/http-api';

/** Says who asks, as `auth.mode` wants it. */
export function openAuthenticator({ auth }: EngineConfig): Authenticator {
  if (auth.mode === 'disabled') return disabledAuthenticator();
  throw TesseraError.of('NOT_SUPPORTED', {
    what: `auth.mode ${auth.mode}`,
    hint: 'the node would answer without authentication, so it does not start',
  });
}

/** The instance as clients learn of it before they log in. */
export const instanceOf = (config: EngineConfig): Instance => ({
  id: config.instance.id,
  audience: config.auth.instance_id,
  tokens: tokenSource(config),
});

function tokenSource({ auth }: EngineConfig): TokenSource {
  const provider = auth.oidc?.providers[0];
  if (auth.mode === 'oidc' && provider !== undefined)
    return { kind: 'provider', name: provider.name, discoveryUrl: provider.discovery_url };
  return { kind: auth.mode === 'native' ? 'own' : 'none' };
}
