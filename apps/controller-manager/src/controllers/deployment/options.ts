import { flag, option } from "@kintsugi/daemon";

export const deploymentOptions = {
  concurrentDeploymentSyncs: option(
    "concurrent-deployment-syncs",
    flag.count({ min: 1, help: "Deployments that are reconciled at the same time", fallback: 5 }),
  ),
};
