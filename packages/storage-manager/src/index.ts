export type { BackupManifest } from './backup/backup-manifest.ts';
export { type GarbageHold, holdGarbage } from './backup/garbage-hold.ts';
export { restoreBackup } from './backup/restore-backup.ts';
export { type CopyProgress, readCatalog, takeBackup } from './backup/take-backup.ts';
export { locationCredentials, locationCredentialsOf } from './location-credentials.ts';
export { collectionEnds, commitEnds, type LogStatus } from './log-status.ts';
export { openStorageManager, type StorageManagerOptions } from './open-storage-manager.ts';
export {
  type DamagedTable,
  type Inspection,
  inspectTables,
  removeLostTablets,
} from './repair/lost-tablets.ts';
export type { LogLeader, ServedStorageManager } from './served-storage-manager.ts';
export type { GarbageReport, Pin, StorageManager } from './storage-manager.ts';
export { storageManagerService } from './storage-manager-service.ts';
