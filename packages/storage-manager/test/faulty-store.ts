import { TesseraError } from '@tessera/common';
import type { ObjectStore } from '@tessera/object-store';

/** What happens to a request: nothing, its answer is lost, or it is refused. */
export type Fate = 'none' | 'answer_lost' | 'refused';

/** A real store in which `fateOf` decides the outcome of conditional puts. */
export function faultyStore(store: ObjectStore, fateOf: (key: string) => Fate): ObjectStore {
  const meet = async <T>(key: string, request: () => Promise<T>): Promise<T> => {
    const fate = fateOf(key);
    const lost = (outcome: 'unknown' | 'failed') =>
      TesseraError.of('STORAGE_UNAVAILABLE', { url: key, reason: 'injected', outcome });
    if (fate === 'refused') throw lost('failed');
    const answer = await request();
    if (fate === 'answer_lost') throw lost('unknown');
    return answer;
  };
  return {
    url: store.url,
    get: (...args) => store.get(...args),
    getRange: (...args) => store.getRange(...args),
    head: (...args) => store.head(...args),
    put: (...args) => store.put(...args),
    putFile: (...args) => store.putFile(...args),
    putIfAbsent: (key, ...args) => meet(key, () => store.putIfAbsent(key, ...args)),
    putIfMatch: (key, ...args) => meet(key, () => store.putIfMatch(key, ...args)),
    list: (...args) => store.list(...args),
    delete: (...args) => store.delete(...args),
    close: () => store.close(),
  };
}
