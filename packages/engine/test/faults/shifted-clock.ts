/**
 * Imported into a process before everything else (`--import`): its wall clock is TESSERA_TEST_CLOCK_SHIFT_MS
 * ahead of the machine's, and jumps by TESSERA_TEST_CLOCK_JUMP_MS at each SIGUSR2. The monotonic clock is
 * unchanged.
 */
const Original = globalThis.Date;
const jump = Number(process.env.TESSERA_TEST_CLOCK_JUMP_MS ?? 0);
let shift = Number(process.env.TESSERA_TEST_CLOCK_SHIFT_MS ?? 0);

const now = () => Original.now() + shift;

globalThis.Date = new Proxy(Original, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as Date,
  apply: () => new Original(now()).toString(),
  get: (target, property, receiver) =>
    property === 'now' ? now : (Reflect.get(target, property, receiver) as unknown),
});

process.on('SIGUSR2', () => {
  shift += jump;
});

export {};
