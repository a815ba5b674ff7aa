/** The position of the tab that an arrow key chooses in a list of tabs; undefined for other keys. */
export function tabStep({ key, target }: KeyboardEvent, at: number, count: number): number | undefined {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
  if (step === undefined || target instanceof HTMLInputElement) return undefined;
  return (at + step + count) % count;
}
