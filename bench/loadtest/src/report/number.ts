/** Three significant digits, thousands grouped. */
export const number = (value: number): string =>
  value.toLocaleString(
    'en-US',
    Math.abs(value) >= 100 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 },
  );

/** The number with its unit; `not measured` for NaN. */
export const quantity = (value: number, unit: string): string =>
  Number.isNaN(value) ? 'not measured' : `${number(value)} ${unit}`.trimEnd();
