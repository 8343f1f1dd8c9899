import { flag, option } from "@kintsugi/daemon";

export const ttlAfterFinishedOptions = {
  concurrentTtlAfterFinishedSyncs: option(
    "concurrent-ttl-after-finished-syncs",
    flag.count({ min: 1, help: "Finished Jobs that are deleted at the same time", fallback: 5 }),
  ),
};
