import { type ErrorName, TesseraError } from '@tessera/common';
import { describe, expect, it } from 'vitest';
import { explainFailure } from './query-failure.ts';

const FILES = [{ label: 'upload://sales', path: '/data/uploads/r1/0' }];
const failure = (name: ErrorName, message: string) => TesseraError.of(name as 'CAST_ERROR', { message });
const explain = (error: unknown, files = FILES, isLastAttempt = false) =>
  explainFailure(error, { files, isLastAttempt }) as TesseraError;

describe('explainFailure', () => {
  it('names the upload where the kernel names its own path', () => {
    const explained = explain(failure('CAST_ERROR', 'in file "/data/uploads/r1/0", line 3'));
    expect(explained.message).toBe('in file "upload://sales", line 3');
  });

  it('blames the file for a failure that says nothing of the statement', () => {
    const explained = explain(failure('STATEMENT_FAILED', 'Out of buffer'));
    expect(explained).toMatchObject({
      name: 'BAD_FILE',
      message: 'Cannot read upload://sales: Out of buffer',
    });
  });

  it('says that one of several files is wrong', () => {
    const files = [...FILES, { label: 'upload://regions', path: '/data/uploads/r1/1' }];
    expect(explain(failure('STATEMENT_FAILED', 'Out of buffer'), files).message).toBe(
      'Cannot read one of upload://sales, upload://regions: Out of buffer',
    );
  });

  it('leaves a failure alone when no file is read', () => {
    expect(explain(failure('STATEMENT_FAILED', 'x'), []).name).toBe('STATEMENT_FAILED');
    expect(explain(failure('CAST_ERROR', 'x'), []).message).toBe('x');
  });

  it('names the files that a failure on data may come from', () => {
    expect(explain(failure('CAST_ERROR', "Could not convert 'x'")).message).toBe(
      "Could not convert 'x' (the statement reads upload://sales)",
    );
  });

  it('a lost kernel is the fault of the files only when it was lost in quarantine too', () => {
    expect(explain(failure('KERNEL_LOST', 'gone'), FILES, false).name).toBe('KERNEL_LOST');
    expect(explain(failure('KERNEL_LOST', 'gone'), FILES, true).name).toBe('BAD_FILE');
  });

  it('an allocation larger than all memory comes from a corrupt file; one that merely did not fit does not', () => {
    const absurd = 'failed to allocate data of size 1.0 TiB (708.3 KiB/1.3 GiB used)';
    const large = 'failed to allocate data of size 64.0 MiB (1.2 GiB/1.3 GiB used)';
    expect(explain(failure('OUT_OF_MEMORY', absurd), FILES, true).name).toBe('BAD_FILE');
    expect(explain(failure('OUT_OF_MEMORY', large), FILES, true).name).toBe('OUT_OF_MEMORY');
  });
});
