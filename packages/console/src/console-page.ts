import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface ConsolePage {
  readonly html: string;
  /**
   * Headers to send with the page. The policy allows only the page's own script and style and requests to its own
   * origin.
   */
  readonly headers: Readonly<Record<string, string>>;
}

/** The scripts of the page, each after those it imports from. */
const SCRIPTS = [
  'element',
  'browser-storage',
  'access',
  'login-dialog',
  'part-names',
  'statement-history',
  'answer',
  'answer-view',
  'file-list',
  'query-run',
  'main',
];

let made: ConsolePage | undefined;

/** The web console: one page that needs nothing but itself and the query endpoint it came from. */
export function consolePage(): ConsolePage {
  made ??= makePage();
  return made;
}

function makePage(): ConsolePage {
  const style = read('page.css');
  const script = SCRIPTS.map((name) => asOneScript(read(`${name}.js`))).join('\n');
  // The replacements are functions because `$` has a special meaning in a replacement string.
  const html = read('page.html')
    .replace('<style></style>', () => `<style>${style}</style>`)
    .replace('<script type="module"></script>', () => `<script type="module">${script}</script>`);
  const policy = [
    "default-src 'none'",
    `script-src '${digest(script)}'`,
    `style-src '${digest(style)}'`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    html,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy.join('; '),
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-cache',
    },
  };
}

/** Inline modules cannot import one another, so the modules become one: their imports go, their exports are plain. */
function asOneScript(source: string): string {
  return source.replaceAll(/^import [^;]*;\n/gm, '').replaceAll(/^export (?=\w)/gm, '');
}

const read = (file: string): string => readFileSync(join(import.meta.dirname, 'page', file), 'utf8');

const digest = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`;
