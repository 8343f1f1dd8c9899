import { flag, option } from "@kintsugi/daemon";

export const daemonSetOptions = {
  concurrentDaemonSetSyncs: option(
    "concurrent-daemonset-syncs",
    flag.count({ min: 1, help: "DaemonSets that are reconciled at the same time", fallback: 2 }),
  ),
};
