export type { GarbageReport, Pin, StorageManager } from './storage-manager.ts';
