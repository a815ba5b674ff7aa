import { MAIN } from '../programs.ts';

/**
 * Programs that a page's commands find before the machine's: this checkout's `tessera`, and wrappers that
 * call it.
 */
export function pagePrograms(
  port: (shown: 3473 | 5432 | 8122 | 9090 | 1717 | 3434 | 5678 | 16000) => string,
) {
  const ports = [
    `--http-port ${port(3473)} --health-port ${port(8122)} --metrics-port ${port(9090)}`,
    `--storage-manager-port ${port(1717)} --storage-agent-port ${port(3434)}`,
    `--distexec-port ${port(5678)} --shuffle-port ${port(16000)}`,
  ].join(' ');
  const node = `"${process.execPath}"`;
  return {
    // The output is formatted as on a terminal.
    tessera: script(
      `command=\${1-}; [ $# -eq 0 ] || shift`,
      `case $command in`,
      `  serve) exec ${node} "${MAIN}" serve ${ports} "$@" ;;`,
      `  query | nodes | ps) exec ${node} "${MAIN}" "$command" --format psql "$@" ;;`,
      `  *) exec ${node} "${MAIN}" \${command:+"$command"} "$@" ;;`,
      `esac`,
    ),
    npx: script(
      `[ "\${1-} \${2-}" = '-y pnpm@12' ] || { echo "npx $*: not known here" >&2; exit 1; }`,
      `case \${3-} in`,
      `  start) shift 3; exec tessera serve "$@" ;;`,
      `  tessera) shift 3; exec tessera "$@" ;;`,
      `  *) echo "pnpm $3: not known here" >&2; exit 1 ;;`,
      `esac`,
    ),
    node: script(`exec ${node} "$@"`),
  };
}

const script = (...lines: readonly string[]): string => `#!/bin/bash\n${lines.join('\n')}\n`;
