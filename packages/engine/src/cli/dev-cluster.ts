import { resolve } from 'node:path';
import { Command } from 'commander';
import type { DevClusterOptions } from './dev-cluster/dev-cluster-options.ts';
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

Starts an object store and the nodes of one engine on localhost, and prints the addresses for statements. Ctrl-C stops
everything. Kill a node (its process id is printed) to see how the others take over. Not for production: all processes
share one machine, and the object store keeps a single copy of the data.`;

export function devClusterCommand(): Command {
  return new Command('dev-cluster')
    .description('Run a trial cluster with an object store on this machine.')
    .option('--nodes <n>', 'number of nodes', wholeNumber(1, 64), 3)
    .option(
      '--directory <dir>',
      'directory that keeps data, logs and configuration between runs (default: a temporary directory)',
    )
    .option(
      '--base-port <port>',
      'first port; the object store and each node use ten ports (default: any free ports)',
      port,
    )
    .option('--restart', 'restart nodes that exit')
    .option(
      '--native-auth',
      'require login (auth.mode native); creates an administrator and prints its password',
    )
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
      const { runDevCluster } = await import('./dev-cluster/run-dev-cluster.ts');
      await runDevCluster(options);
    });
}
