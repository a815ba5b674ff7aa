import { expect, test } from 'vitest';
import { commandName } from './command-name.ts';

test('an installed package and a checkout have different commands', () => {
  expect(commandName('file:///app/node_modules/tessera/program/serve-BxY.js')).toBe('tessera');
  expect(commandName('file:///app/packages/engine/src/command-name.ts')).toBe('npx -y pnpm@12 tessera');
});
