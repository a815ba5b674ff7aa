import { basename } from 'node:path';

/** The command line for a report: without secrets and without paths of this machine. */
export function shownCommand(args: readonly string[]): string[] {
  return args.map((arg, n) => {
    const [, option, value] = /^(--[a-z-]+)=(.*)$/s.exec(arg) ?? [];
    return option === undefined ? masked(args[n - 1], arg) : `${option}=${masked(option, value!)}`;
  });
}

function masked(option: string | undefined, value: string): string {
  switch (option) {
    case '--token':
      return '…';
    case '--json':
    case '--html':
      return basename(value);
    case '--url':
    case '--peer-url':
      return value.replace(/(:\/\/)[^/@]*@/, '$1…@');
    default:
      return value;
  }
}
