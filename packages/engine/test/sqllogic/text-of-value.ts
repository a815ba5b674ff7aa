/**
 * A value in the notation of the files: NULL, `(empty)`, doubles with a fraction, lists and structs as DuckDB
 * prints them.
 */
export function textOfValue(value: unknown, type: string): string {
  if (value === null || value === undefined) return 'NULL';
  if (value === '') return '(empty)';
  if (typeof value === 'number') return /double|float|real/.test(type) ? textOfDouble(value) : String(value);
  if (Array.isArray(value)) return `[${value.map((item) => nested(item, type)).join(', ')}]`;
  if (typeof value === 'object') {
    const fields = Object.entries(value).map(([name, field]) => `'${name}': ${nested(field, type)}`);
    return `{${fields.join(', ')}}`;
  }
  return String(value).replaceAll('\0', '\\0');
}

const SPECIAL = /[[\]{}()'",=:\\\n\t]|^\s|\s$/;

function nested(value: unknown, type: string): string {
  if (typeof value !== 'string') return textOfValue(value, type);
  if (value === '' || /^null$/i.test(value) || SPECIAL.test(value)) {
    return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  }
  return value;
}

function textOfDouble(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Object.is(value, -0)) return '-0.0';
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e16 || size < 1e-4)) {
    const [mantissa, exponent] = value.toExponential().split('e') as [string, string];
    return `${mantissa}e${exponent[0]}${exponent.slice(1).padStart(2, '0')}`;
  }
  const text = String(value);
  return text.includes('.') ? text : `${text}.0`;
}
