import type { OperatorProfile, StatementProfile } from '../protocol/messages.ts';
import type { NativeConnection } from './connection.ts';
import type { Pointer } from './libc.ts';
import { duckdb, takeString } from './library.ts';
import { NativeBlock } from './memory.ts';

/** The setting that turns profiles on; nothing is printed. */
export const PROFILE_SETTING = 'enable_profiling';

/**
 * Runs a statement to its end and returns what it took, operator by operator. If the statement fails, the connection keeps
 * measuring, so it must not be used for other sessions.
 */
export async function profiled(
  connection: NativeConnection,
  run: () => Promise<unknown>,
): Promise<StatementProfile | undefined> {
  await connection.run(`SET ${PROFILE_SETTING}='no_output'`);
  await run();
  const root = duckdb.profile(connection.handle);
  const profile = root ? statementProfile(root) : undefined;
  await connection.run(`RESET ${PROFILE_SETTING}`);
  return profile;
}

function statementProfile(root: Pointer): StatementProfile | undefined {
  const [operators] = inputsOf(root);
  if (operators === undefined) return undefined;
  return {
    cpuMs: 1000 * numberOf(root, 'CPU_TIME'),
    peakMemoryBytes: numberOf(root, 'SYSTEM_PEAK_BUFFER_MEMORY'),
    spilledBytes: numberOf(root, 'SYSTEM_PEAK_TEMP_DIR_SIZE'),
    operators,
  };
}

const operatorProfile = (operator: Pointer): OperatorProfile => ({
  name: textOf(operator, 'OPERATOR_NAME').trim(),
  description: textOf(operator, 'EXTRA_INFO'),
  rows: numberOf(operator, 'OPERATOR_CARDINALITY'),
  bytes: numberOf(operator, 'RESULT_SET_SIZE'),
  timeMs: 1000 * numberOf(operator, 'OPERATOR_TIMING'),
  inputs: inputsOf(operator),
});

const inputsOf = (operator: Pointer): readonly OperatorProfile[] =>
  Array.from({ length: Number(duckdb.profileInputs(operator)) }, (_, i) =>
    operatorProfile(duckdb.profileInput(operator, i)!),
  );

/** A figure; 0 if the kernel has not measured it. */
const numberOf = (operator: Pointer, metric: string): number => Number(textOf(operator, metric)) || 0;

/** The value of a metric as a text; empty if there is none. */
function textOf(operator: Pointer, metric: string): string {
  const value = duckdb.profileValue(operator, metric);
  if (!value) return '';
  const slot = new NativeBlock(8);
  slot.setPointer(0, value);
  try {
    return takeString(duckdb.getVarchar(value));
  } finally {
    duckdb.destroyValue(slot.address);
  }
}
