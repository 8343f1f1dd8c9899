import { flag, option } from "@kintsugi/daemon";

export const replicaSetOptions = {
  concurrentReplicaSetSyncs: option(
    "concurrent-replicaset-syncs",
    flag.count({ min: 1, help: "ReplicaSets that are reconciled at the same time", fallback: 5 }),
  ),
};
