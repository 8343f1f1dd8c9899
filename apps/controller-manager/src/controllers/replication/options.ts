import { flag, option } from "@kintsugi/daemon";

export const replicationOptions = {
  concurrentRcSyncs: option(
    "concurrent-rc-syncs",
    flag.count({ min: 1, help: "ReplicationControllers that are reconciled at the same time", fallback: 5 }),
  ),
};
