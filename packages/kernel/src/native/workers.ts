import koffi from 'koffi';
import { libc, type Native, type Pointer } from './libc.ts';
import { duckdb, lib } from './library.ts';
import { NativeBlock } from './memory.ts';

/**
 * Starts threads that execute the tasks of all queries of a database until the process ends. The kernel's own threads would be as
 * many as one query may use, for all queries together; it divides a query into tasks for the number that it is told
 * (`external_threads`), whatever the number of threads that execute them.
 * @throws Error if the system refuses a thread
 */
export function startWorkers(database: Pointer, count: number): void {
  for (let i = 0; i < count; i += 1) {
    const thread = new NativeBlock(8);
    if (pthreadCreate(thread.address, 0n, EXECUTE_TASKS, duckdb.createTaskState(database)) !== 0)
      throw new Error(`The system refused thread ${i + 1} of ${count} of the kernel`);
  }
}

const EXECUTE_TASKS: Pointer = koffi.address(lib.symbol('duckdb_execute_tasks_state'));

const pthreadCreate = libc.func('pthread_create', 'int', [
  'void *',
  'void *',
  'void *',
  'void *',
]) as unknown as Native<number, [Pointer, Pointer, Pointer, Pointer]>;
