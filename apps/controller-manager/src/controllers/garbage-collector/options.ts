import { flag, option } from "@kintsugi/daemon";

export const garbageCollectorOptions = {
  concurrentGcSyncs: option(
    "concurrent-gc-syncs",
    flag.count({ min: 1, help: "Objects garbage-collected at the same time", fallback: 20 }),
  ),
};
