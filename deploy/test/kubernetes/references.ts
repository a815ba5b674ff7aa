import type { Manifest } from './helm.ts';

interface Port {
  readonly name: string;
  readonly containerPort: number;
}

/** Secrets that users create themselves, under the names in the values of the tests. */
const BROUGHT = new Set([
  'administrator',
  'cluster-token',
  'google',
  'listener-certificate',
  'node-certificate',
  'node-token',
  'object-store',
  'tessera-certificate',
]);
const NODE_PORTS = ['manager', 'agent', 'distexec', 'shuffle'];

/**
 * Returns the dangling references in the manifests of one installation: ports, labels, secrets, volumes,
 * services.
 */
export function mismatchesOf(manifests: readonly Manifest[]): string[] {
  const sets = manifests.filter(({ kind }) => kind === 'StatefulSet' || kind === 'Deployment');
  return [
    ...sets.flatMap((set) => inPod(set, manifests)),
    ...manifests.filter(({ kind }) => kind === 'Service').flatMap((service) => ofService(service, sets)),
    ...manifests.filter(({ kind }) => kind === 'NetworkPolicy').flatMap((policy) => ofPolicy(policy, sets)),
    ...manifests
      .filter(({ kind }) => kind === 'PodDisruptionBudget')
      .flatMap((budget) =>
        selected(budget.spec.selector.matchLabels, sets).length === 1 ? [] : ['the budget is for no pods'],
      ),
    ...manifests
      .filter(({ kind }) => kind === 'ServiceMonitor')
      .flatMap((monitor) => ofMonitor(monitor, manifests)),
    ...manifests.filter(({ kind }) => kind === 'Ingress').flatMap((ingress) => ofIngress(ingress, manifests)),
  ];
}

const portsOf = (set: Manifest): Port[] => set.spec.template.spec.containers[0].ports;

const selected = (labels: Readonly<Record<string, string>>, sets: readonly Manifest[]): Manifest[] =>
  sets.filter((set) => carries(set.spec.template.metadata.labels, labels));

const carries = (labels: Readonly<Record<string, string>>, wanted: Readonly<Record<string, string>>) =>
  Object.entries(wanted).every(([name, value]) => labels[name] === value);

function inPod(set: Manifest, manifests: readonly Manifest[]): string[] {
  const { name } = set.metadata;
  const pod = set.spec.template.spec;
  const [container] = pod.containers;
  const ports = new Set(portsOf(set).map((port) => port.name));
  const probes = ['startupProbe', 'livenessProbe', 'readinessProbe'].flatMap((one) => container[one] ?? []);
  const volumes = new Set([
    ...pod.volumes.map((volume: { name: string }) => volume.name),
    ...(set.spec.volumeClaimTemplates ?? []).map((claim: Manifest) => claim.metadata.name),
  ]);
  const mounted: string[] = container.volumeMounts.map((mount: { name: string }) => mount.name);
  const owned = (kind: string) =>
    new Set(manifests.filter((one) => one.kind === kind).map((one) => one.metadata.name));
  const service = manifests.find(
    (one) => one.kind === 'Service' && one.metadata.name === set.spec.serviceName,
  );
  const accounts = owned('ServiceAccount');
  return [
    ...probes
      .map(({ httpGet, tcpSocket }) => (httpGet ?? tcpSocket).port)
      .flatMap((port) => (ports.has(port) ? [] : [`${name} is probed at ${port}`])),
    ...mounted.flatMap((one) => (volumes.has(one) ? [] : [`${name} has no volume ${one}`])),
    ...[...volumes].flatMap((one) =>
      mounted.includes(String(one)) ? [] : [`${name} mounts no volume ${one}`],
    ),
    ...secretsOf(pod).flatMap((one) =>
      owned('Secret').has(one) || BROUGHT.has(one) ? [] : [`no secret ${one}`],
    ),
    ...pod.volumes.flatMap(({ configMap }: { configMap?: { name: string } }) =>
      configMap === undefined || owned('ConfigMap').has(configMap.name)
        ? []
        : [`no config map ${configMap.name}`],
    ),
    ...(set.kind === 'StatefulSet' && service === undefined
      ? [`${name} has no service ${set.spec.serviceName}`]
      : []),
    ...(pod.serviceAccountName === undefined || accounts.has(pod.serviceAccountName)
      ? []
      : [`no service account ${pod.serviceAccountName}`]),
    ...(carries(set.spec.template.metadata.labels, set.spec.selector.matchLabels)
      ? []
      : [`${name} selects other pods`]),
  ];
}

// biome-ignore lint/suspicious/noExplicitAny: as rendered
function secretsOf(pod: any): string[] {
  const [{ env = [], envFrom = [] }] = pod.containers;
  return [
    ...pod.volumes.flatMap(({ secret }: { secret?: { secretName: string } }) => secret?.secretName ?? []),
    ...env.flatMap(
      ({ valueFrom }: { valueFrom?: { secretKeyRef?: { name: string } } }) =>
        valueFrom?.secretKeyRef?.name ?? [],
    ),
    ...envFrom.map(({ secretRef }: { secretRef: { name: string } }) => secretRef.name),
  ];
}

function ofService(service: Manifest, sets: readonly Manifest[]): string[] {
  const { name } = service.metadata;
  const [set, ...others] = selected(service.spec.selector, sets);
  if (set === undefined || others.length > 0) return [`service ${name} selects not the pods of one set`];
  const ports = new Map(portsOf(set).map((port) => [port.name, port.containerPort]));
  return service.spec.ports.flatMap(({ targetPort, port }: { targetPort: string; port: number }) => {
    if (!ports.has(targetPort)) return [`service ${name}: the pods have no port ${targetPort}`];
    // Without an address, the service maps no port.
    const moved = service.spec.clusterIP === 'None' && ports.get(targetPort) !== port;
    return moved ? [`service ${name}: ${targetPort} is not ${port}`] : [];
  });
}

/**
 * Checks that the network policies admit someone to every port of the pods, and only nodes to the ports between
 * nodes, except that the broadcast service may call their distexec ports.
 */
function ofPolicy(policy: Manifest, sets: readonly Manifest[]): string[] {
  const { name } = policy.metadata;
  const [set] = selected(policy.spec.podSelector.matchLabels, sets);
  if (set === undefined) return [`policy ${name} is for no pods`];
  const names = portsOf(set).map((port) => port.name);
  const rules: {
    from?: { podSelector?: { matchLabels: Record<string, string> } }[];
    ports: { port: string }[];
  }[] = policy.spec.ingress;
  const allowed = new Set(rules.flatMap(({ ports }) => ports.map(({ port }) => port)));
  const isBroadcast = ({ from, ports }: (typeof rules)[number]) =>
    from?.length === 1 &&
    from[0]!.podSelector?.matchLabels['app.kubernetes.io/component'] === 'broadcast' &&
    ports.every(({ port }) => port === 'distexec');
  const open = rules.filter(
    (rule) => rule.ports.some(({ port }) => NODE_PORTS.includes(port)) && !isBroadcast(rule),
  );
  const nodesOnly = open.every(
    ({ from }) =>
      from?.length === 1 &&
      carries(set.spec.template.metadata.labels, from[0]!.podSelector?.matchLabels ?? { '': '' }),
  );
  return [
    ...names.filter((port) => !allowed.has(port)).map((port) => `policy ${name} lets nobody to ${port}`),
    ...[...allowed].filter((port) => !names.includes(port)).map((port) => `policy ${name}: no port ${port}`),
    ...(nodesOnly ? [] : [`policy ${name} lets others to the ports between nodes`]),
  ];
}

function ofMonitor(monitor: Manifest, manifests: readonly Manifest[]): string[] {
  const services = manifests.filter(
    ({ kind, metadata }) => kind === 'Service' && carries(metadata.labels, monitor.spec.selector.matchLabels),
  );
  const [endpoint] = monitor.spec.endpoints;
  const found = services.flatMap(({ spec }) => spec.ports).filter(({ name }: Port) => name === endpoint.port);
  return found.length === 1 ? [] : [`the service monitor finds ${found.length} ports ${endpoint.port}`];
}

function ofIngress(ingress: Manifest, manifests: readonly Manifest[]): string[] {
  const { service } = ingress.spec.rules[0].http.paths[0].backend;
  const target = manifests.find(({ kind, metadata }) => kind === 'Service' && metadata.name === service.name);
  const has = target?.spec.ports.some(({ name }: Port) => name === service.port.name);
  return has ? [] : [`the ingress leads to no port ${service.port.name}`];
}
