import type { StoreAnswer, StoreRequest } from '../../src/log-node/effects.ts';
import type { LogNodeOptions } from '../../src/log-node/options.ts';
import type { step } from '../../src/log-node/step.ts';

/** Where a request of a node stands. */
export interface Moment {
  readonly at: 'sending' | 'applied' | 'answering' | 'answered';
  readonly request: StoreRequest;
  /** Not yet known when it is being sent. */
  readonly answer: StoreAnswer | undefined;
}

/** What a simulation is made of; probabilities are of one request unless told otherwise. */
export interface Scenario {
  readonly nodes: number;
  readonly clients: number;
  readonly durationMs: number;
  /** Done, the answer is lost. */
  readonly answerLost: number;
  /** Refused with 503 or 409, or lost on the way there. */
  readonly failed: number;
  /** Done, but only after the sender has given up on it. */
  readonly late: number;
  /** Done, and answered as if it had been there before: the second try within the SDK. */
  readonly triedTwice: number;
  /** Between node and client: done, and the client does not hear of it. */
  readonly replyLost: number;
  readonly staleListing: number;
  /** A checkpoint is cut off, and the node that wrote it crashes. */
  readonly tornCheckpoint: number;
  /** Per second and node. */
  readonly crash: number;
  /** Stopped in an orderly way, and started again: per second and node. */
  readonly leave: number;
  readonly pause: number;
  readonly longestPauseMs: number;
  readonly clockJump: number;
  readonly longestJumpMs: number;
  /** A node does not get an answer for a while: per second and node. */
  readonly partition: number;
  /** Per operation of a client. */
  readonly collect: number;
  readonly create: number;
  readonly remove: number;
  /** Between two statements of a client. */
  readonly longestThinkMs: number;
  readonly longestWriteMs: number;
  readonly longestReadMs: number;
  /** Whether reports of pins always arrive, so that whatever is pinned must stay. */
  readonly pinsArrive: boolean;
  readonly options: Partial<LogNodeOptions>;
  /** Crashes a node when it comes true; at most `crashes` times. */
  readonly crashWhen: ((moment: Moment) => boolean) | undefined;
  readonly crashes: number;
  readonly step: typeof step;
}
