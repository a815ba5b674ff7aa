import type { Logging } from '@tessera/common';
import { type EngineConfig, engineNodes } from '@tessera/config';
import { type AdmissionOptions, SharedPlaces } from '@tessera/coordinator';

/**
 * The admission limits of this node; undefined if it admits every statement at once. The concurrency limit
 * applies to the engine, and each node gets its share of it, since any node accepts statements. The shares add up to the
 * limit, unless it is smaller than the number of nodes: each node has at least one place. Nodes lend each other the places that they
 * do not need.
 * @param node the position of this node in `engine.nodes`
 */
export function admissionOptions(
  config: EngineConfig,
  node: number,
  kernelBytes: number,
  logging: Logging,
): AdmissionOptions | undefined {
  const settings = config.execution.admission_controller;
  if (!settings.enabled) return undefined;
  const places = settings.max_concurrent_admitted_queries;
  const nodes = engineNodes(config).length;
  return {
    // The first nodes get the remainder.
    places: new SharedPlaces(Math.max(1, Math.floor(places / nodes) + (node < places % nodes ? 1 : 0))),
    memoryBytes: Math.floor(kernelBytes * settings.total_memory_tracker_hard_limit_ratio),
    maxRetries: settings.max_retries_per_query,
    retryShare: settings.max_required_relative_memory_for_retry,
    secondsAtFront: settings.reduce_required_memory_after_seconds_at_front_of_queue,
    secondsUntilWarning: settings.seconds_until_no_admission_warning,
    secondsBetweenWarnings: settings.seconds_between_no_admission_warnings,
    log: logging.logger('admission'),
  };
}
