import { flag, option } from "@kintsugi/daemon";

export const attachDetachOptions = {
  maxWaitForUnmountMs: option(
    "attach-detach-max-wait-for-unmount",
    flag.durationMs({
      help: "Kintsugi's own: time after which a volume is detached from a node that is not ready and has not unmounted it",
      byProfile: (timers) => timers.maxWaitForUnmountMs,
    }),
  ),
};
