export type {
  AgentMetrics,
  Scan,
  ScanRequest,
  ScanTablet,
  ScanUse,
  StorageAgent,
} from './storage-agent.ts';
