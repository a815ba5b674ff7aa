import { repeats } from './repeats.ts';
import { breachIf, type Rule } from './rule.ts';

const MODE = ['auth', 'mode'];
const NATIVE = ['auth', 'native'];
const OIDC = ['auth', 'oidc'];

/** The block of the chosen mode must exist, with everything that the mode requires. */
export const authModeHasItsBlock: Rule = ({ config: { auth, instance } }) => [
  ...breachIf(
    auth.mode === 'native' && auth.native === null,
    NATIVE,
    'is required when auth.mode is native',
    [MODE],
  ),
  ...breachIf(auth.mode === 'oidc' && auth.oidc === null, OIDC, 'is required when auth.mode is oidc', [MODE]),
  ...breachIf(
    auth.mode === 'native' &&
      auth.native !== null &&
      auth.native.initial_user === null &&
      instance.type === 'single_engine',
    [...NATIVE, 'initial_user'],
    'is required when a single-engine instance runs with native authentication',
    [MODE, ['instance', 'type']],
  ),
  ...breachIf(
    auth.mode === 'oidc' && auth.oidc?.providers.length === 0,
    [...OIDC, 'providers'],
    'needs a provider when auth.mode is oidc',
    [MODE],
  ),
];

export const oneOidcProvider: Rule = ({ config: { auth } }) =>
  breachIf(
    (auth.oidc?.providers.length ?? 0) > 1,
    [...OIDC, 'providers', 1],
    'a single provider is supported at present',
  );

export const signingKeysHaveTheirOwnIds: Rule = ({ config: { auth } }) =>
  repeats(auth.native?.signing_keys ?? [], (key) => key.id).map(({ index, first }) => ({
    path: [...NATIVE, 'signing_keys', index, 'id'],
    message: `is already the id of signing_keys[${first}]`,
  }));
