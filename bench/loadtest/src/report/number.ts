/** Three significant digits, thousands grouped. */
export const number = (value: number): string =>
  value.toLocaleString(
    'en-US',
    Math.abs(value) >= 100 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 },
  );
