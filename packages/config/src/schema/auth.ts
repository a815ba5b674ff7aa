import { NOW } from './effect.ts';
import { block, boolean, duration, list, oneOf, string } from './parameter.ts';
import { isClaimTemplate, isDiscoveryUrl } from './text-shapes.ts';

const effect = NOW;

const validation = {
  clock_skew_tolerance: duration('tolerated clock skew for exp, nbf, iat', { default: '30s', effect }),
  max_token_age: duration('maximum token age from its iat claim', { default: '1d', effect }),
};

const native = block(
  'used when auth.mode is native',
  {
    initial_user: block(
      'bootstrap user created on startup',
      {
        name: string('bootstrap user name', { example: 'admin', effect }),
        password: string('bootstrap user password', { example: 'change-me', secret: true, effect }),
      },
      { default: null },
    ),
    jwt: block(
      'JWT settings for native mode',
      {
        ...validation,
        token_expiry: duration('lifetime of issued access tokens', { default: '1h', positive: true, effect }),
      },
      { default: {} },
    ),
    signing_algorithm: oneOf(
      'algorithm that signs issued tokens',
      ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512'],
      { default: 'RS256', effect },
    ),
    signing_keys: list(
      'keys that sign issued tokens; empty: an ephemeral key is made at startup (development mode)',
      {
        id: string('key identifier, published as the JWT `kid`', { example: 'key-1', effect }),
        private_key_path: string('filesystem path of the PEM-encoded private key', {
          example: '/etc/tessera/signing-key.pem',
          effect,
        }),
      },
      { default: [] },
    ),
  },
  { default: null },
);

const provider = {
  discovery: block(
    'discovery document refresh settings',
    {
      refresh_interval: duration('how often the discovery document is re-fetched', {
        default: '1d',
        positive: true,
        effect,
      }),
    },
    { default: {} },
  ),
  discovery_url: string("URL of the provider's OpenID Connect discovery document", {
    test: isDiscoveryUrl,
    expected: 'an http(s) URL that ends in /.well-known/openid-configuration',
    example: 'https://login.example.com/.well-known/openid-configuration',
    effect,
  }),
  jit_provisioning: block(
    'just-in-time provisioning settings',
    {
      default_role: string('role granted to automatically created users', { default: 'public', effect }),
      enabled: boolean('create users on first login', { default: false, effect }),
    },
    { default: {} },
  ),
  jwks: block(
    'JWKS caching settings',
    { cache_ttl: duration('how long the JWKS document is cached', { default: '1h', effect }) },
    { default: {} },
  ),
  name: string('name or alias of the provider', { example: 'login', effect }),
  username_mapping: string('template mapping token claims to a username', {
    test: isClaimTemplate,
    expected: 'a template with at least one {{ claim }}, and text between two of them',
    example: '{{ iss }}|{{ sub }}',
    effect,
  }),
};

const oidc = block(
  'used when auth.mode is oidc',
  {
    jwt: block('JWT validation settings for OIDC mode', validation, { default: {} }),
    postgres_password_fallback_enabled: boolean('allow password fallback on the Postgres wire protocol', {
      default: false,
      effect,
    }),
    providers: list('trusted OIDC identity providers (a single one at present)', provider, { default: [] }),
  },
  { default: null },
);

export const auth = block(
  'authentication settings',
  {
    instance_id: string(
      'identifier of this instance: the expected `aud` claim, and in native mode the `iss` claim',
      {
        default: 'https://localhost',
        effect,
      },
    ),
    mode: oneOf('how clients authenticate', ['disabled', 'native', 'oidc'], { default: 'disabled', effect }),
    native,
    oidc,
  },
  { default: {} },
);
