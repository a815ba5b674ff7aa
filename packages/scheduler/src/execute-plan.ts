import { TesseraError } from '@tessera/common';
import type { ExecutePlan } from './stage-execution.ts';

export const executePlan: ExecutePlan = async () => {
  throw TesseraError.of('NOT_SUPPORTED', { what: 'A plan of several stages' });
};
