/** Faults that tests have a node commit, told by its environment. Nothing else sets them. */
export interface SimulatedFaults {
  /** Rows are put into the buckets of another hash function. */
  readonly disturbedHash: boolean;
  /** The version of the kernel that the node claims to run. */
  readonly kernelVersion: string | undefined;
}

export const simulatedFaults = (environment: NodeJS.ProcessEnv = process.env): SimulatedFaults => ({
  disturbedHash: environment['TESSERA_FAULT_HASH'] === 'disturbed',
  kernelVersion: environment['TESSERA_FAULT_KERNEL_VERSION'],
});
