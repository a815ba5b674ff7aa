import { NativeError } from '../native/native-error.ts';

/** The error for a batch whose bytes do not match its schema. */
export const corrupt = (column: string, reason: string): NativeError =>
  new NativeError(
    JSON.stringify({
      exception_type: 'Invalid Input',
      exception_message: `Arrow batch${column === '' ? '' : `, column "${column}"`}: ${reason}`,
    }),
  );
