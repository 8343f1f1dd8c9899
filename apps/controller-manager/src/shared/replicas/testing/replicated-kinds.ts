import type { ReplicationController } from "@kintsugi/api";
import { replicaSetController } from "../../../controllers/replica-set/controller.ts";
import { replicationController } from "../../../controllers/replication/controller.ts";
import { aReplicaSet } from "../../../testing/test-cluster.ts";

/** Every kind whose objects maintain a number of equal pods, with its controller. */
export const replicatedKinds = [
  { kind: "ReplicaSet", controller: replicaSetController, resource: "replicasets", make: aReplicaSet },
  {
    kind: "ReplicationController",
    controller: replicationController,
    resource: "replicationcontrollers",
    make: aReplicationController,
  },
] as const;

export function aReplicationController(...traits: Parameters<typeof aReplicaSet>): ReplicationController {
  const { metadata, spec } = aReplicaSet(...traits);
  return {
    apiVersion: "v1",
    kind: "ReplicationController",
    metadata,
    spec: { ...spec, selector: spec?.selector.matchLabels ?? {} },
  };
}
