/**
 * An OpenID provider of the clients that its arguments name. Prints `{issuer, discoveryUrl}`, and ends with its standard input,
 * so that it does not outlive the test that started it.
 */
import { once } from 'node:events';
import { OpenIdProviderServer } from './openid-provider.ts';

const { issuer, discoveryUrl } = await new OpenIdProviderServer({ clients: process.argv.slice(2) }).start();
process.stdout.write(`${JSON.stringify({ issuer, discoveryUrl })}\n`);
process.stdin.resume();
await Promise.race([once(process.stdin, 'end'), once(process.stdin, 'close')]);
process.exit(0);
