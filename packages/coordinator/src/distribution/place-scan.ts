import { createHash } from 'node:crypto';
import type { ClusterNode } from '@tessera/scheduler';
import type { ScanTablet } from '@tessera/storage-agent';

export interface TabletShare {
  readonly node: ClusterNode;
  readonly tablets: readonly ScanTablet[];
}

/** Rendezvous hashing on the tablet's id: few tablets move when the nodes change. */
export function placeScan(
  tablets: readonly ScanTablet[],
  nodes: readonly ClusterNode[],
): readonly TabletShare[] {
  const shares = nodes.map((node) => ({ node, tablets: [] as ScanTablet[] }));
  for (const scan of tablets) {
    const weights = shares.map(({ node }) => weightOf(node.name, scan.tablet.id));
    shares[weights.indexOf(weights.reduce((a, b) => (a > b ? a : b)))]!.tablets.push(scan);
  }
  return shares.filter((share) => share.tablets.length > 0);
}

const weightOf = (node: string, tablet: string): string =>
  createHash('sha1').update(`${node}\0${tablet}`).digest('hex');
