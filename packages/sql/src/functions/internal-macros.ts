/** The prefix of internal macros, which keeps them apart from the names of users and of the kernel. */
const PREFIX = 'tsr_';

/** The name of the internal macro that implements a function of the dialect or a part of one. */
export const internalName = (name: string): string => `${PREFIX}${name}`;

export const isInternalName = (name: string): boolean => name.startsWith(PREFIX);

export const createMacro = (name: string, overloads: readonly string[]): string =>
  `CREATE MACRO ${internalName(name)}${overloads.join(', ')}`;
