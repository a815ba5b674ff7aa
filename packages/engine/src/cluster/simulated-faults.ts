/** Faults that tests inject into a node through its environment. Nothing else sets them. */
export interface SimulatedFaults {
  /** Whether rows are put into the buckets of another hash function. */
  readonly disturbedHash: boolean;
  /** The version of the kernel that the node claims to run. */
  readonly kernelVersion: string | undefined;
}

export const simulatedFaults = (environment: NodeJS.ProcessEnv = process.env): SimulatedFaults => ({
  disturbedHash: environment['TESSERA_FAULT_HASH'] === 'disturbed',
  kernelVersion: environment['TESSERA_FAULT_KERNEL_VERSION'],
});
