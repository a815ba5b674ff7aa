import { NativeError } from '../native/native-error.ts';

/** What to throw when the bytes of a batch are not what its schema says. */
export const corrupt = (column: string, reason: string): NativeError =>
  new NativeError(
    JSON.stringify({
      exception_type: 'Invalid Input',
      exception_message: `Arrow batch${column === '' ? '' : `, column "${column}"`}: ${reason}`,
    }),
  );
