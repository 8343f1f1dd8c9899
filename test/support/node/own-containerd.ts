import { systemClock } from "@kintsugi/clock";
import { type PrivateContainerd, type PrivateContainerdOptions, startPrivateContainerd } from "@kintsugi/lab";
import { remember } from "../remains/remember.ts";

/** A test's own containerd, which is removed even if the test's process does not dispose of it. */
export async function startOwnContainerd(options: PrivateContainerdOptions): Promise<PrivateContainerd> {
  const { name, directory } = options;
  const forget = await remember({ kind: "containerd", name, directory });
  const containerd = await startPrivateContainerd({ clock: systemClock }, options);
  const dispose = containerd[Symbol.asyncDispose].bind(containerd);
  return Object.assign(containerd, {
    async [Symbol.asyncDispose]() {
      await dispose();
      await forget();
    },
  });
}
