import { flag, option } from "@kintsugi/daemon";

export const namespaceOptions = {
  concurrentNamespaceSyncs: option(
    "concurrent-namespace-syncs",
    flag.count({ min: 1, help: "Namespaces that are emptied at the same time", fallback: 10 }),
  ),
};
