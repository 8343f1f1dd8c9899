import { flag, option } from "@kintsugi/daemon";

export const statefulSetOptions = {
  concurrentStatefulSetSyncs: option(
    "concurrent-statefulset-syncs",
    flag.count({ min: 1, help: "StatefulSets that are reconciled at the same time", fallback: 5 }),
  ),
};
