import type { SessionOptions } from '@tessera/kernel';

/** The settings of a statement that apply to its sessions of the kernel. */
export interface SessionSettings {
  readonly timezone: string;
  readonly max_threads: number;
  readonly enable_scan_cache: boolean;
}

export const sessionOptions = ({ timezone, max_threads, enable_scan_cache }: SessionSettings) =>
  ({ timeZone: timezone, maxThreads: max_threads, sharesTables: enable_scan_cache }) satisfies SessionOptions;

/** Whether a statement with these settings may read tables that sessions share. */
export const sharesTables = ({
  max_threads,
  enable_scan_cache,
}: Pick<SessionSettings, 'max_threads' | 'enable_scan_cache'>): boolean =>
  max_threads === 0 && enable_scan_cache;
