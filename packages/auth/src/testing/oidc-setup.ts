import { TesseraError } from '@tessera/common';
import { expect, onTestFinished } from 'vitest';
import type { KnownUser } from '../authenticator.ts';
import { FETCH_LIMITS } from '../oidc/fetch-document.ts';
import { type OidcOptions, oidcAuthenticator } from '../oidc/oidc-authenticator.ts';
import type { OidcConfig, ProviderLimits } from '../oidc/provider.ts';
import { logFile } from './log-file.ts';
import { type OpenIdProviderOptions, OpenIdProviderServer } from './openid-provider.ts';
import { TestUsers } from './test-users.ts';

export const INSTANCE = 'https://tessera.example';
export const HOUR_MS = 3_600_000;
export const REFUSED = 'The access token is not valid (any more)';

/** Users in memory. Every role exists except `missing`; the name `role` belongs to a role. */
export class Users extends TestUsers {
  readonly provisioned: string[] = [];

  override async provision(name: string, role: string): Promise<KnownUser> {
    if (role === 'missing') throw TesseraError.of('UNDEFINED_OBJECT', { what: 'Role', name: role });
    if (name === 'role') throw TesseraError.of('DUPLICATE_OBJECT', { what: 'Role', name });
    this.provisioned.push(`${name}: ${role}`);
    return this.create(name);
  }
}

export const LIMITS: ProviderLimits = {
  fetch: { ...FETCH_LIMITS, totalTimeoutMs: 2_000, maxBytes: 65_536 },
  retry: { firstMs: 20, maxMs: 100 },
  keysForAtLeastMs: 0,
  unknownKeyEveryMs: HOUR_MS,
};

interface Setup {
  readonly users?: Users;
  readonly mapping?: string;
  readonly passwords?: boolean;
  readonly jit?: Partial<OidcConfig['providers'][number]['jit_provisioning']>;
  readonly jwt?: { readonly clock_skew_tolerance: number; readonly max_token_age: number };
  readonly cacheTtlMs?: number;
  readonly refreshMs?: number;
  readonly limits?: Partial<ProviderLimits>;
  readonly options?: Partial<OidcOptions>;
}

/** Stops when the test ends. */
export async function provider(options: OpenIdProviderOptions = {}): Promise<OpenIdProviderServer> {
  const server = await new OpenIdProviderServer(options).start();
  onTestFinished(() => server.stop());
  return server;
}

/**
 * Closes when the test ends. `outcome` returns the name of the user, or the message that a refused client gets.
 */
export async function authenticator(discoveryUrl: string, setup: Setup = {}) {
  const file = logFile();
  const { users = new Users() } = setup;
  if (setup.users === undefined) await users.create('alice');
  const auth = oidcAuthenticator({
    config: {
      jwt: setup.jwt ?? { clock_skew_tolerance: 30_000, max_token_age: 24 * HOUR_MS },
      postgres_password_fallback_enabled: setup.passwords ?? false,
      providers: [
        {
          name: 'test',
          discovery_url: discoveryUrl,
          discovery: { refresh_interval: setup.refreshMs ?? 24 * HOUR_MS },
          jwks: { cache_ttl: setup.cacheTtlMs ?? HOUR_MS },
          jit_provisioning: { enabled: false, default_role: 'public', ...setup.jit },
          username_mapping: setup.mapping ?? '{{ sub }}',
        },
      ],
    },
    instanceId: INSTANCE,
    users,
    log: file.log,
    limits: { ...LIMITS, ...setup.limits },
    ...setup.options,
  });
  onTestFinished(async () => {
    await auth.close();
    await file[Symbol.asyncDispose]();
  });
  const outcome = (token: string) =>
    auth.token(token, '10.0.0.1').then(
      (user) => user.name,
      (error) => {
        expect(error).toMatchObject({ name: 'UNAUTHENTICATED' });
        return (error as Error).message;
      },
    );
  return { auth, users, outcome, log: file.text };
}

/** Returns the number of requests for a page. */
export const asked = (server: OpenIdProviderServer, page: string) =>
  server.requests.filter((path) => path.endsWith(page)).length;

export const eventually = <T>(look: () => T) => expect.poll(look, { timeout: 20_000 });
