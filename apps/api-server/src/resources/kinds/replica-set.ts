import { ReplicaSet, replicaSets, sameJson } from "@kintsugi/api";
import { immutable } from "../../http/refusals.ts";
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
    validateUpdate: (replicaSet, before) =>
      sameJson(replicaSet.spec?.selector, before.spec?.selector)
        ? []
        : [immutable("spec.selector", replicaSet.spec?.selector)],
  },
});
