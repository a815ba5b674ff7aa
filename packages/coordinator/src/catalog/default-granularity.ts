/** Rows of a granule, which is a row group of the tablet: as large as the kernel likes them best. */
export const DEFAULT_GRANULARITY = 122_880;
