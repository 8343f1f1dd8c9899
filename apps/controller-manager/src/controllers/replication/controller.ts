import { defineController } from "../../context.ts";
import { indexedPods, indexedReplicationControllers } from "../../shared/indexed-kinds.ts";
import { replicatedParts } from "../../shared/replicas/replicated-parts.ts";
import { replicationOptions } from "./options.ts";
import { replicationRole } from "@kintsugi/rules";
import { type ReplicationController, replicationControllers } from "@kintsugi/api";
import type { ReplicatedKind } from "../../shared/replicas/replicated-kind.ts";

/** A ReplicationController is planned as the ReplicaSet of the same pods. */
const replicationControllerAsSet: ReplicatedKind<ReplicationController> = {
  type: replicationControllers,
  asSet({ metadata, spec, status }) {
    const { selector = {} } = spec ?? {};
    // Validation requires labels. An empty LabelSelector would select every pod, so a
    // ReplicationController without labels becomes a set without a spec, which selects nothing.
    const isSelecting = spec && Object.keys(selector).length > 0;
    return {
      metadata,
      ...(isSelecting ? { spec: { ...spec, selector: { matchLabels: selector } } } : {}),
      ...(status ? { status } : {}),
    };
  },
  withStatus(controller, { ...status }) {
    delete status.terminatingReplicas;
    return { ...controller, status };
  },
};

/** Maintains the number of each ReplicationController's pods. */
export const replicationController = defineController({
  name: "replication",
  options: replicationOptions,
  roles: [replicationRole],
  events: "replication-controller",
  reads: [indexedReplicationControllers, indexedPods],
  create: (context) => replicatedParts(context, replicationControllerAsSet, context.options.concurrentRcSyncs),
});
