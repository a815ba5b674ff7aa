import type { EngineConfig } from './schema/root.ts';

type Tuning = NonNullable<EngineConfig['engine']['auto_vacuum']>;
export type AutoVacuum = { readonly [K in keyof Tuning]: NonNullable<Tuning[K]> };

/** The values of `engine.auto_vacuum` for fields that the configuration leaves out. */
export const AUTO_VACUUM_DEFAULTS: AutoVacuum = {
  assessment_frequency: 300,
  debug_sleep_before_commit_ms: 0,
  enabled: false,
  max_concurrency: 1,
  max_tablets_in_job: 16,
  memory_allowance: 0.2,
  min_bad_tablets_threshold: 4,
  run_on_first_dml: false,
};

/** The effective settings: each field that is set overrides its built-in default. */
export function autoVacuum(config: EngineConfig): AutoVacuum {
  const set = Object.entries(config.engine.auto_vacuum ?? {}).filter(([, value]) => value !== null);
  return { ...AUTO_VACUUM_DEFAULTS, ...Object.fromEntries(set) };
}
