// Exit code 0 while the node takes statements. TESSERA_HEALTH_URL: where the node's --health-port is, if not the usual one.
const url = process.env.TESSERA_HEALTH_URL ?? 'http://127.0.0.1:8122/health/ready';
const ready = await fetch(url, { signal: AbortSignal.timeout(4_000) }).then(
  (response) => response.ok,
  () => false,
);
process.exitCode = ready ? 0 : 1;
