import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Debian's browser, or the one that the environment names; undefined if there is none. */
export const executablePath = [process.env.TESSERA_TEST_CHROMIUM ?? '', '/usr/bin/chromium'].find(
  (path) => path !== '' && existsSync(path),
);

const ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Otherwise a process for a page that nobody may open starts with each page.
  '--renderer-process-limit=1',
];

export interface Chromium extends AsyncDisposable {
  readonly browser: Browser;
}

/** Starts a browser. Disposal kills it and waits for its end only, not for what a busy machine still clears away. */
export async function startChromium(): Promise<Chromium> {
  const server = await chromium.launchServer({ executablePath: executablePath!, args: ARGUMENTS });
  const browser = await chromium.connect(server.wsEndpoint());
  const exited = new Promise((resolve) => server.process().once('exit', resolve));
  const dispose = async () => {
    void server.kill();
    await exited;
  };
  return { browser, [Symbol.asyncDispose]: dispose };
}
