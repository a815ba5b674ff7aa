import { clusterNode } from './cluster-nodes.ts';

/**
 * A node in a process of its own, for tests that kill or stop it: `node-process.ts <directory> <node>
 * <port>`.
 */
const [directory, node, port] = process.argv.slice(2);
await clusterNode(directory!, Number(node), { port: Number(port) });
process.stdout.write('ready\n');
