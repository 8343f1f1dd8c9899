import type { Pod } from "@kintsugi/api";
import type { AdmissionStep } from "./admission.ts";

/** A pod that names no service account is run by the namespace's default one. */
export const serviceAccountDefault: AdmissionStep = {
  name: "ServiceAccount",
  mutate: ({ operation, resource, subresource, object }) => {
    if (operation !== "create" || resource.type.kind !== "Pod" || subresource !== "" || object === undefined) return;
    const { spec } = object as Pod;
    if (spec === undefined || (spec.serviceAccountName ?? "") !== "") return;
    spec.serviceAccountName = "default";
    spec.serviceAccount = "default";
  },
};
