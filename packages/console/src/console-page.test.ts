import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { consolePage } from './index.ts';

const { html, headers } = consolePage();
const policy = headers['Content-Security-Policy'] ?? '';

function only(tag: string): string {
  const found = [...html.matchAll(new RegExp(`<${tag}[^>]*>([^]*?)</${tag}>`, 'g'))];
  expect(found).toHaveLength(1);
  return found[0]?.[1] ?? '';
}

test.each(['style', 'script'])(
  'the policy allows the one %s of the page by its hash, and nothing inline',
  (tag) => {
    const hash = createHash('sha256').update(only(tag)).digest('base64');
    expect(policy).toContain(`${tag}-src 'sha256-${hash}';`);
    expect(policy).not.toContain('unsafe');
    expect(policy).toContain("default-src 'none'");
  },
);

test('nothing comes from elsewhere, no attribute carries script or style', () => {
  const body = html.replace(only('script'), '').replace(only('style'), '');
  expect(body).not.toMatch(/\s(?:on\w+|style)=/);
  expect([...body.matchAll(/(?:src|href)="(?!data:)[^"]*"/g)]).toEqual([]);
  expect(html).not.toMatch(/@import|url\((?!data:)/);
});

test('every module of the page is in it, without the imports that an inline script cannot have', () => {
  const script = only('script');
  expect(script).not.toMatch(/^\s*(?:import|export)\b/m);
  const modules = readdirSync(join(import.meta.dirname, 'page')).filter((file) => file.endsWith('.js'));
  expect(modules.length).toBeGreaterThan(5);
  for (const name of [
    'byId',
    'readAnswer',
    'tableView',
    'FileList',
    'browserStorage',
    'StatementHistory',
    'runQuery',
  ])
    expect(script).toMatch(new RegExp(`(?:function|class) ${name}\\b`));
  // Parses it: two modules that declare the same name would not be one script.
  expect(() => new Function(script)).not.toThrow();
});

test('the same page every time', () => {
  expect(consolePage()).toBe(consolePage());
});
