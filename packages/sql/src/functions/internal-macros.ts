/** Internal macros start with this, so that they never meet a name of a user or of the kernel. */
const PREFIX = 'tsr_';

/** The internal macro that stands behind a function of the dialect, or a building block of one. */
export const internalName = (name: string): string => `${PREFIX}${name}`;

export const createMacro = (name: string, overloads: readonly string[]): string =>
  `CREATE MACRO ${internalName(name)}${overloads.join(', ')}`;
