import fc from 'fast-check';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { ConfigError, parameters, parseConfig } from '../src/index.ts';

const scalar = fc.oneof(
  fc.constantFrom(
    null,
    true,
    0,
    1,
    -1,
    2.5,
    '',
    'x',
    'tcp',
    'unix',
    'file',
    'native',
    'oidc',
    'abs',
    's3',
    '30s',
    '1GiB',
    'a:1',
    'http://x/',
  ),
  fc.integer(),
  fc.string(),
);
const value = fc.oneof({ weight: 4, arbitrary: scalar }, fc.array(scalar, { maxLength: 2 }), fc.constant({}));

/** The path of a parameter, with indices for `[*]`, and the value to put there. */
const setting = fc.record({
  path: fc.constantFrom(...parameters().map((p) => p.path.replaceAll('[*]', '.0').split('.'))),
  value,
});

function build(settings: readonly { path: readonly string[]; value: unknown }[]): unknown {
  const file: Record<string, unknown> = { schema_version: '1.0' };
  for (const { path, value } of settings) {
    let at: Record<string, unknown> = file;
    for (const [i, key] of path.slice(0, -1).entries()) {
      const inside = at[key];
      if (inside === null || typeof inside !== 'object') at[key] = path[i + 1] === '0' ? [] : {};
      at = at[key] as Record<string, unknown>;
    }
    at[path.at(-1)!] = value;
  }
  return file;
}

/** Any result other than a configuration, or a ConfigError with places in the file, is a defect. */
function checks(text: string): void {
  try {
    expect(parseConfig(text, 'f').config.schema_version).toBe('1.0');
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const lines = text.split('\n').length;
    expect(error.violations.length).toBeGreaterThan(0);
    for (const { line, message } of error.violations) {
      expect(line).toBeGreaterThanOrEqual(1);
      expect(line).toBeLessThanOrEqual(lines);
      expect(message).not.toMatch(/undefined|\[object/);
    }
  }
}

it('reports what is wrong with any values at any places', () => {
  fc.assert(
    fc.property(fc.array(setting, { minLength: 1, maxLength: 12 }), (settings) => {
      checks(stringify(build(settings)));
    }),
    { numRuns: 500 },
  );
});

it('reports what is wrong with any text', () => {
  const piece = fc.constantFrom(
    'engine',
    'nodes',
    ':',
    ' ',
    '\n',
    '  ',
    '- ',
    '{',
    '}',
    '[',
    ']',
    '&a',
    '*a',
    '"',
    '#',
    '|',
    '!!',
    '1',
    'x',
    '\t',
    '<<',
    '\u0000',
    '?',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => checks(pieces.join(''))),
    {
      numRuns: 500,
    },
  );
});
