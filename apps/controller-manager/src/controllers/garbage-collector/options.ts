import { flag, option } from "@kintsugi/daemon";

export const garbageCollectorOptions = {
  concurrentGcSyncs: option(
    "concurrent-gc-syncs",
    flag.count({ min: 1, help: "Objects that are garbage-collected at the same time", fallback: 20 }),
  ),
};
