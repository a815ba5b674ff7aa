import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';

interface LazyProps<Props> {
  /** Loads the component; the same function at every rendering. */
  load(): Promise<ComponentType<Props>>;
  readonly props: Props;
}

/** A component whose code is loaded when it is shown first. */
export function Lazy<Props extends object>({ load, props }: LazyProps<Props>) {
  const loaded = useSignal<ComponentType<Props> | string | undefined>(undefined);
  useEffect(() => {
    load().then(
      (component) => {
        loaded.value = () => component;
      },
      (error: Error) => {
        loaded.value = error.message;
      },
    );
  }, [load, loaded]);
  const found = loaded.value;
  if (found === undefined) return <p class="note">Loading…</p>;
  if (typeof found === 'string') return <p class="note">This view could not be loaded: {found}</p>;
  const View = (found as () => ComponentType<Props>)();
  return <View {...props} />;
}
