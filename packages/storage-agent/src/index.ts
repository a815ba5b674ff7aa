export { agentBootstrap, openStorageAgent, type StorageAgentOptions } from './open-storage-agent.ts';
export type {
  AgentMetrics,
  Scan,
  ScanRequest,
  ScanTablet,
  ScanUse,
  StorageAgent,
} from './storage-agent.ts';
