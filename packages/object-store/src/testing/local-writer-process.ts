/**
 * `local-writer-process.ts <directory> <writer> <mode>`: writes into a local store until it is killed.
 * `create`: creates objects of 256 KiB that consist of one digit, under names for which other writers compete;
 * prints each name that it created. `count`: adds one to the number in the object `counter`, a hundred times,
 * and ends.
 */
import { openLocalStore } from '../local/local-store.ts';

const [directory = '', writer = '', mode = ''] = process.argv.slice(2);
const store = await openLocalStore(directory);

if (mode === 'create') {
  for (let n = 0; ; n++) {
    const key = `race/${n % 20}/${n}`;
    if ((await store.putIfAbsent(key, Buffer.alloc(262_144, writer))) === 'created')
      process.stdout.write(`${key}\n`);
  }
} else {
  for (let done = 0; done < 100; ) {
    const found = await store.get('counter');
    const next = Buffer.from(String(Number(Buffer.from(found!.body).toString()) + 1));
    if ((await store.putIfMatch('counter', next, found!.etag)) === 'replaced') done++;
  }
}
