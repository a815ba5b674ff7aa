import { resolve } from 'node:path';
import { Command } from 'commander';
import type { DevClusterOptions } from '../dev-cluster/dev-cluster-options.ts';
import { port, wholeNumber } from './numbers.ts';

interface Flags {
  nodes: number;
  directory?: string;
  basePort?: number;
  restart?: true;
  nativeAuth?: true;
  json?: true;
}

const EXAMPLES = `
Examples:
  tessera dev-cluster --nodes 3
  tessera dev-cluster --nodes 5 --directory ./my-cluster
  tessera dev-cluster --base-port 20000 --restart
  tessera dev-cluster --native-auth

Starts an object store and the nodes of one engine on this machine, all on the loopback interface, and prints where
to send statements. Ctrl-C stops everything. Kill a node (its process id is printed) to see what the others do.
For trying things out: all processes share one machine, and the object store keeps one copy.`;

export function devClusterCommand(): Command {
  return new Command('dev-cluster')
    .description('Run a cluster on this machine, with an object store, to try things out.')
    .option('--nodes <n>', 'how many nodes', wholeNumber(1, 64), 3)
    .option(
      '--directory <dir>',
      'where data, logs and the configuration are kept for the next time (default: a temporary directory)',
    )
    .option(
      '--base-port <port>',
      'first of the ports, ten for the object store and ten for each node (default: free ones)',
      port,
    )
    .option('--restart', 'start nodes again that die')
    .option('--native-auth', 'users log in (auth.mode native); an administrator is made, and printed')
    .option('--json', 'print the addresses as one line of JSON')
    .allowExcessArguments(false)
    .addHelpText('after', EXAMPLES)
    .action(async (flags: Flags) => {
      const options: DevClusterOptions = {
        nodes: flags.nodes,
        directory: flags.directory === undefined ? undefined : resolve(flags.directory),
        basePort: flags.basePort,
        restart: flags.restart === true,
        nativeAuth: flags.nativeAuth === true,
        json: flags.json === true,
      };
      const { runDevCluster } = await import('../dev-cluster/run-dev-cluster.ts');
      await runDevCluster(options);
    });
}
