import { ReplicaSet, replicaSets } from "@kintsugi/api";
import { defineResource } from "../resource.ts";

export const replicaSetResource = defineResource<ReplicaSet>({
  type: replicaSets,
  schema: ReplicaSet,
  subresources: ["scale", "status"],
  rules: {
    status: true,
    generation: true,
    prepareForCreate: (replicaSet) => {
      replicaSet.status = { replicas: 0 };
    },
    selectableFields: { "status.replicas": (replicaSet) => String(replicaSet.status?.replicas ?? 0) },
  },
});
