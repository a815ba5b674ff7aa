import { basename } from 'node:path';

/** The command line for a report: without secrets and without paths of this machine. */
export function toldCommand(args: readonly string[]): string[] {
  return args.map((arg, n) => {
    const [, option, value] = /^(--[a-z-]+)=(.*)$/s.exec(arg) ?? [];
    return option === undefined ? told(args[n - 1], arg) : `${option}=${told(option, value!)}`;
  });
}

function told(option: string | undefined, value: string): string {
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
