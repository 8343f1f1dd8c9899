import { defineController } from "../../context.ts";
import { indexedPods, indexedReplicaSets } from "../../shared/indexed-kinds.ts";
import { replicaSetAsItIs } from "../../shared/replicas/replicated-kind.ts";
import { replicatedParts } from "../../shared/replicas/replicated-parts.ts";
import { replicaSetOptions } from "./options.ts";
import { replicaSetRole } from "@kintsugi/rules";

/** Maintains the number of each ReplicaSet's pods. */
export const replicaSetController = defineController({
  name: "replicaset",
  options: replicaSetOptions,
  roles: [replicaSetRole],
  events: "replicaset-controller",
  reads: [indexedReplicaSets, indexedPods],
  create: (context) => replicatedParts(context, replicaSetAsItIs, context.options.concurrentReplicaSetSyncs),
});
