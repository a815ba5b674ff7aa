export type { ArrowBatchInput } from './client/append.ts';
export { batchPayloads, type RegisteredBuffers, registerBuffers } from './client/batch-payloads.ts';
export {
  type BindingSession,
  type ForwardedError,
  ForwardedSession,
  forwardedError,
  movableMemory,
  receivedError,
  runForwarded,
  type SessionCall,
} from './client/forwarded-session.ts';
export { interruptOnAbort } from './client/interrupt-on-abort.ts';
export type { KernelBatch } from './client/kernel-batch.ts';
export type { KernelSession } from './client/kernel-session.ts';
export type { KernelResult } from './client/result-stream.ts';
export { RowBlock } from './client/row-block.ts';
export type { KernelStatus } from './client/supervisor.ts';
export { caretOf } from './errors/caret.ts';
export {
  failedValueOf,
  hasNotStarted,
  keepDetails,
  REFUSED_END,
  REFUSED_RANGE,
  ranAlone,
} from './errors/failed-value.ts';
export { kernelErrorToTessera } from './errors/kernel-error.ts';
export {
  type Kernel,
  type KernelOptions,
  type SessionOptions,
  startKernel,
} from './kernel.ts';
export type { KernelLog } from './kernel-log.ts';
export type {
  FewRows,
  MemoryUse,
  OperatorProfile,
  PlannedRows,
  QueryProgress,
  ReceivedRelation,
  StatementDescription,
  StatementProfile,
  TextRows,
} from './protocol/messages.ts';
export { PayloadPool } from './protocol/payload-pool.ts';
export type { CellText, RowText } from './protocol/row-text.ts';
export { RELATION_FUNCTION } from './relation-function.ts';
export { decimalWidth, fixedWidth } from './types/fixed-width.ts';
export { type KernelColumn, type KernelField, type KernelType, typeToSql } from './types/kernel-type.ts';
export type { KernelParams, KernelValue } from './types/kernel-value.ts';
export { literalPath, quoteName, quoteText } from './types/quoting.ts';
