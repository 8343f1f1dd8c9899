import { useSignal } from "@preact/signals";
import type { FunctionComponent } from "preact";
import { useEffect } from "preact/hooks";

interface LazyProps<P> {
  /** The program is loaded when it is first needed. */
  readonly isWanted: boolean;
  readonly load: () => Promise<FunctionComponent<P>>;
  readonly props: P;
}

/** A part of the page whose program is not loaded at the start. */
export function Lazy<P extends object>({ isWanted, load, props }: LazyProps<P>) {
  const loaded = useSignal<{ readonly Part: FunctionComponent<P> } | undefined>(undefined);
  useEffect(() => {
    if (isWanted && loaded.value === undefined) void load().then((Part) => (loaded.value = { Part }));
  }, [isWanted, load, loaded]);
  if (loaded.value === undefined) return null;
  const { Part } = loaded.value;
  return <Part {...props} />;
}
