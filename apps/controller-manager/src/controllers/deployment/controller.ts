import { deployments, formatKey, keyOf, type Pod, pods, replicaSets } from "@kintsugi/api";
import { findController, type Informers, on, owns } from "@kintsugi/controller";
import { defineController } from "../../context.ts";
import { indexedPods, indexedReplicaSets } from "../../shared/indexed-kinds.ts";
import { deploymentOptions } from "./options.ts";
import { DeploymentReconciler } from "./reconciler.ts";
import { deploymentRole } from "@kintsugi/rules";

/** Rolls out the pods of each Deployment, through ReplicaSets. */
export const deploymentController = defineController({
  name: "deployment",
  options: deploymentOptions,
  roles: [deploymentRole],
  events: "deployment-controller",
  reads: [deployments, indexedReplicaSets, indexedPods],
  create(context) {
    const reconciler = new DeploymentReconciler(context);
    return {
      workers: context.options.concurrentDeploymentSyncs,
      keys: deployments,
      watches: [
        on(deployments),
        owns(replicaSets, deployments),
        on(pods, ({ object }) => recreating(object, context.informers)),
      ],
      reconcile: (key, signal) => reconciler.reconcile(key, signal),
    };
  },
});

/** A Deployment that recreates its pods waits until the last old pod has ended. */
function recreating(pod: Pod, informers: Informers): string[] {
  const set = findController(pod, replicaSets, informers.of(replicaSets));
  const deployment = set && findController(set, deployments, informers.of(deployments));
  return deployment?.spec?.strategy?.type === "Recreate" ? [formatKey(keyOf(deployment))] : [];
}
