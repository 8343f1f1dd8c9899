import { defineController } from "../../context.ts";
import { indexedPods, indexedReplicationControllers } from "../../shared/indexed-kinds.ts";
import { replicatedParts } from "../../shared/replicas/replicated-parts.ts";
import { replicationOptions } from "./options.ts";
import { replicationControllerAsSet } from "./replication-controller-as-set.ts";
import { replicationRole } from "./role.ts";

/** Maintains the number of each ReplicationController's pods. */
export const replicationController = defineController({
  name: "replication",
  options: replicationOptions,
  roles: [replicationRole],
  events: "replication-controller",
  reads: [indexedReplicationControllers, indexedPods],
  create: (context) => replicatedParts(context, replicationControllerAsSet, context.options.concurrentRcSyncs),
});
