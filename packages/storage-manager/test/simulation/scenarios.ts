import { step } from '../../src/log-node/step.ts';
import type { Scenario } from './scenario.ts';

/** No faults. */
export const CALM: Scenario = {
  nodes: 3,
  clients: 4,
  durationMs: 10_000,
  answerLost: 0,
  failed: 0,
  late: 0,
  triedTwice: 0,
  replyLost: 0,
  staleListing: 0,
  tornCheckpoint: 0,
  crash: 0,
  leave: 0,
  pause: 0,
  longestPauseMs: 10_000,
  clockJump: 0,
  longestJumpMs: 3_600_000,
  partition: 0,
  collect: 0,
  create: 0.1,
  remove: 0.25,
  longestThinkMs: 300,
  longestWriteMs: 200,
  longestReadMs: 200,
  pinsArrive: false,
  options: {},
  crashWhen: undefined,
  crashes: 0,
  step,
};

/** Nodes that are stopped and restarted one after the other, as in a rolling update, while clients write. */
export const UPDATES: Scenario = {
  ...CALM,
  durationMs: 30_000,
  leave: 0.05,
  longestThinkMs: 100,
};

/** All kinds of faults together. */
export const STORM: Scenario = {
  ...CALM,
  durationMs: 12_000,
  answerLost: 0.03,
  failed: 0.05,
  late: 0.02,
  triedTwice: 0.05,
  replyLost: 0.05,
  staleListing: 0.3,
  tornCheckpoint: 0.02,
  crash: 0.03,
  leave: 0.03,
  pause: 0.03,
  clockJump: 0.05,
  partition: 0.03,
  collect: 0.05,
  options: {
    checkpointEntries: 8,
    logRetentionMs: 1_000,
    checkpointsKept: 2,
    boundaryAgeMs: 1_200,
    gcTtlMs: 500,
    pinTtlMs: 4_000,
    orphanAgeMs: 5_000,
  },
};

/** Long reads while garbage is collected without delay: everything that is pinned must stay. */
export const READERS: Scenario = {
  ...STORM,
  late: 0,
  leave: 0,
  pause: 0,
  partition: 0,
  collect: 0.2,
  remove: 0.4,
  longestReadMs: 6_000,
  longestWriteMs: 2_000,
  pinsArrive: true,
};

/** Leaders that are suspended for minutes while the log advances and is truncated. */
export const SLEEPERS: Scenario = {
  ...STORM,
  durationMs: 40_000,
  clients: 3,
  crash: 0,
  partition: 0,
  pause: 0.06,
  longestPauseMs: 30_000,
};

/** Uploads that take longer than the age limit of orphans, and collectors that are behind. */
export const UPLOADS: Scenario = {
  ...STORM,
  durationMs: 40_000,
  clients: 5,
  crash: 0,
  late: 0,
  pause: 0.06,
  longestPauseMs: 15_000,
  collect: 0.3,
  longestWriteMs: 12_000,
  options: { ...STORM.options, orphanAgeMs: 1_000, pinTtlMs: 3_000 },
};

/** Clients that repeat requests to any node while leaders come and go. */
export const REPEATERS: Scenario = {
  ...STORM,
  durationMs: 30_000,
  clients: 4,
  failed: 0.01,
  late: 0,
  crash: 0,
  partition: 0,
  replyLost: 0.3,
  pause: 0.06,
  longestPauseMs: 20_000,
  create: 0.05,
  remove: 0.6,
};

/** New leaders that are asked to collect garbage before they know which versions are being read. */
export const TAKEOVERS: Scenario = {
  ...READERS,
  durationMs: 20_000,
  clients: 6,
  crash: 0.1,
  collect: 0.4,
  longestReadMs: 10_000,
};
