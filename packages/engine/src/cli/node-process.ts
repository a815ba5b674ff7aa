/**
 * A node of a dev cluster: `tessera serve`, which shuts down, as at SIGTERM, when the process that started it
 * is gone.
 */
import { run } from './program.ts';

process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
process.exitCode = await run(process.argv.slice(2));
