import {
  type ApiObject,
  controllerOf,
  controllerRevisions,
  jobs,
  pods,
  replicaSets,
  replicationControllers,
  services,
} from "@kintsugi/api";
import { reading } from "@kintsugi/controller";
import { labelIndexValue } from "./pods-with-labels.ts";

// These indexes find objects without a search through all of them:
//
//   controller   by the UID of the owner that manages them
//   orphan       by namespace, objects without a controller
//   namespace    by namespace
//   node         pods by the name of the node that they are bound to
//   label        pods by namespace and label, each of their labels

export const indexedPods = reading(pods, {
  node: ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []),
  controller: controllerUid,
  orphan: namespaceOfOrphan,
  namespace: namespaceOf,
  label: ({ metadata }) =>
    Object.entries(metadata.labels ?? {}).map(([key, value]) => labelIndexValue(metadata.namespace ?? "", key, value)),
});

export const indexedReplicaSets = reading(replicaSets, { controller: controllerUid, orphan: namespaceOfOrphan });

export const indexedReplicationControllers = reading(replicationControllers, { controller: controllerUid });

export const indexedRevisions = reading(controllerRevisions, { controller: controllerUid, orphan: namespaceOfOrphan });

export const indexedJobs = reading(jobs, { controller: controllerUid });

export const indexedServices = reading(services, { namespace: namespaceOf });

function controllerUid(object: ApiObject): string[] {
  return [controllerOf(object)?.uid ?? ""].filter((uid) => uid !== "");
}

function namespaceOfOrphan(object: ApiObject): string[] {
  return controllerOf(object) ? [] : namespaceOf(object);
}

function namespaceOf({ metadata }: ApiObject): string[] {
  return [metadata.namespace ?? ""];
}
