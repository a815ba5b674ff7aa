#!/usr/bin/env node
import { run } from './cli/program.ts';

// If the reader closes our output early, as `head` does, or a terminal is closed, that is not a failure.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
  });
}
process.exitCode = await run(process.argv.slice(2));
