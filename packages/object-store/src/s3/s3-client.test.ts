import { expect, it, vi } from 'vitest';
import { anonymousUnlessKnown } from './s3-client.ts';

it('remembers for each user of stores, and not for the process, that there are no credentials', async () => {
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_PROFILE'])
    vi.stubEnv(name, undefined);
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/nowhere');
  vi.stubEnv('AWS_CONFIG_FILE', '/nowhere');
  const [first, second] = [{ anonymousUntil: 0 }, { anonymousUntil: 0 }];
  expect(await anonymousUnlessKnown(first)).toBe('anonymous');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'x');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'x');
  expect(await anonymousUnlessKnown(first)).toBe('anonymous');
  expect(await anonymousUnlessKnown(second)).toBeUndefined();
});
