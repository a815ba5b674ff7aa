import type { StoreAnswer, StoreRequest } from '../../src/log-node/effects.ts';
import type { LogNodeOptions } from '../../src/log-node/options.ts';
import type { step } from '../../src/log-node/step.ts';

/** The progress of a node's request. */
export interface Moment {
  readonly at: 'sending' | 'applied' | 'answering' | 'answered';
  readonly request: StoreRequest;
  /** Undefined while the request is being sent. */
  readonly answer: StoreAnswer | undefined;
}

/** The parameters of a simulation. Probabilities are per request unless stated otherwise. */
export interface Scenario {
  readonly nodes: number;
  readonly clients: number;
  readonly durationMs: number;
  /** The request is executed, but its answer is lost. */
  readonly answerLost: number;
  /** The request is refused with 503 or 409, or lost in transit. */
  readonly failed: number;
  /** The request is executed, but only after the sender has given up on it. */
  readonly late: number;
  /**
   * The request is executed and answered as if the object had existed before, as after a retry within the
   * SDK.
   */
  readonly triedTwice: number;
  /** The reply from the node to the client is lost after the operation was executed. */
  readonly replyLost: number;
  readonly staleListing: number;
  /** A checkpoint is truncated, and the node that wrote it crashes. */
  readonly tornCheckpoint: number;
  /** The probability per second and node. */
  readonly crash: number;
  /** An orderly stop followed by a restart, per second and node. */
  readonly leave: number;
  readonly pause: number;
  readonly longestPauseMs: number;
  readonly clockJump: number;
  readonly longestJumpMs: number;
  /** A node gets no answers for a while; per second and node. */
  readonly partition: number;
  /** The probability per operation of a client. */
  readonly collect: number;
  readonly create: number;
  readonly remove: number;
  /** The longest pause between two statements of a client. */
  readonly longestThinkMs: number;
  readonly longestWriteMs: number;
  readonly longestReadMs: number;
  /** Whether reports of pins always arrive, so that everything that is pinned must stay. */
  readonly pinsArrive: boolean;
  readonly options: Partial<LogNodeOptions>;
  /** Crashes a node when it returns true; at most `crashes` times. */
  readonly crashWhen: ((moment: Moment) => boolean) | undefined;
  readonly crashes: number;
  readonly step: typeof step;
}
