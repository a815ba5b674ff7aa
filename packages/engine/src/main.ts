#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { run } from './cli/program.ts';

// Most objects of a start stay alive. V8 would copy them again at each small step in which the young generation grows.
setFlagsFromString('--semi-space-growth-factor=16');

// If the reader closes our output early, as `head` does, or a terminal is closed, that is not a failure.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
  });
}
process.exitCode = await run(process.argv.slice(2));
