/** What users call a table, by its bound name. */
export type TableNames = ReadonlyMap<string, string>;

/** A text of the kernel or of the planner with the names that users gave their tables. */
export const renamed = (text: string, names: TableNames): string =>
  text.replaceAll(
    /(?:(?:memory\.)?managed\.)?\b(t_[0-9a-z]{26}_\d+|f_[0-9a-f]{32})\b/g,
    (whole, bound: string) => names.get(bound) ?? whole,
  );
