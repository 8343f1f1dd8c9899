import { forbidden, isMirrorPod, type Pod, pods, referencesOf } from "@kintsugi/api";
import { type AdmissionStep, createdObject } from "./admission.ts";

/**
 * A pod without a service account uses the namespace's default account; mirror pods have no account
 * (serviceaccount/admission.go).
 */
export const serviceAccountDefault: AdmissionStep = {
  name: "ServiceAccount",
  handles: { operations: ["create"], resources: [pods], subresources: [""] },
  mutate: (request) => {
    const pod = createdObject(request, pods);
    if (pod === undefined) return;
    const { spec } = pod;
    if (isMirrorPod(pod)) {
      const because = refusalOfMirror(pod);
      if (because !== undefined) throw forbidden(pods, pod.metadata.name ?? "", because);
      return;
    }
    if (spec === undefined || (spec.serviceAccountName ?? "") !== "") return;
    spec.serviceAccountName = "default";
    spec.serviceAccount = "default";
  },
};

/** A static pod, which runs from a file on a node, must not give access to API objects. */
function refusalOfMirror(pod: Pod): string | undefined {
  const { serviceAccount, secrets, configMaps } = referencesOf(pod);
  if (serviceAccount !== "") return "a mirror pod may not reference service accounts";
  if (secrets.size > 0) return "a mirror pod may not reference secrets";
  if (configMaps.size > 0) return "a mirror pod may not reference configmaps";
  const projectsToken = pod.spec?.volumes?.some(({ projected }) =>
    projected?.sources?.some(({ serviceAccountToken }) => serviceAccountToken !== undefined),
  );
  return projectsToken ? "a mirror pod may not use ServiceAccountToken volume projections" : undefined;
}
