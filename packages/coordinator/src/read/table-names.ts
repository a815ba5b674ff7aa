/** The user-visible names of tables, by bound name. */
export type TableNames = ReadonlyMap<string, string>;

/** Replaces internal table names in a text of the kernel or the planner by the user's names. */
export const renamed = (text: string, names: TableNames): string =>
  text.replaceAll(
    /(?:(?:memory\.)?managed\.)?\b(t_[0-9a-z]{26}_\d+|f_[0-9a-f]{32})\b/g,
    (whole, bound: string) => names.get(bound) ?? whole,
  );
