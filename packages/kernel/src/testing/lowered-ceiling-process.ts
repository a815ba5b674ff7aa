import { setTimeout as delay } from 'node:timers/promises';
import { processMemory } from '../own-memory.ts';
import { MemoryCeiling } from '../process/memory-ceiling.ts';

/** A program whose memory ceiling is lowered while it has reserved more; it prints what the ceiling then allows. */

const MIB = 1 << 20;

const ceiling = await MemoryCeiling.prepare(0);
const own = processMemory('self')!.ownBytes;
const [high, low] = [own + 600 * MIB, own + 200 * MIB];
ceiling!.set(high);
// None of its pages is resident.
let held: Buffer | undefined = Buffer.allocUnsafeSlow(300 * MIB);
const allowedWhileHeld = await ceiling!.allows(low);
ceiling!.set(low);
const small = Buffer.allocUnsafeSlow(MIB).length;
const refused = isRefused(100 * MIB);
if (held.length > 0) held = undefined;
globalThis.gc!();
while (!(await ceiling!.allows(low))) await delay(10);
const allowed = Buffer.allocUnsafeSlow(100 * MIB).length;
while (!isRefused(250 * MIB)) await delay(10);
process.stdout.write(JSON.stringify({ allowedWhileHeld, small, refused, allowed }));
process.exit();

function isRefused(bytes: number): boolean {
  try {
    return Buffer.allocUnsafeSlow(bytes).length === 0;
  } catch {
    return true;
  }
}
