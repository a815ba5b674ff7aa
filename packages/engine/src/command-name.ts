/** The command that starts the program, by the URL of one of its modules: only a checkout contains TypeScript. */
export const commandName = (module: string): string =>
  module.endsWith('.ts') ? 'npx -y pnpm@12 tessera' : 'tessera';

export const TESSERA = commandName(import.meta.url);
