import { configAnnotations, isMirrorPod, type Node, type Pod, referencesOf } from "@kintsugi/api";

/**
 * Returns the reason why a node may not create this pod. A node may only create mirror pods of its
 * static pods, which do not refer to API objects.
 */
export function checkMirrorPod(pod: Pod, nodeName: string, storedNode: Node | undefined): string | undefined {
  const node = JSON.stringify(nodeName);
  if (!isMirrorPod(pod)) {
    return `pod does not have ${JSON.stringify(configAnnotations.mirror)} annotation, node ${node} can only create mirror pods`;
  }
  if (pod.spec?.nodeName !== nodeName) {
    return `node ${node} can only create pods with spec.nodeName set to itself`;
  }
  return findWrongOwner(pod, nodeName, storedNode) ?? findReference(pod, node);
}

function findWrongOwner(pod: Pod, nodeName: string, storedNode: Node | undefined): string | undefined {
  const node = JSON.stringify(nodeName);
  const owners = pod.metadata.ownerReferences ?? [];
  if (owners.length > 1) {
    return `node ${node} can only create pods with a single owner reference set to itself`;
  }
  const owner = owners[0];
  if (owner?.apiVersion !== "v1" || owner.kind !== "Node" || owner.name !== nodeName) {
    return `node ${node} can only create pods with an owner reference set to itself`;
  }
  if (owner.controller !== true) {
    return `node ${node} can only create pods with a controller owner reference set to itself`;
  }
  if (owner.blockOwnerDeletion === true) {
    return `node ${node} must not set blockOwnerDeletion on an owner reference`;
  }
  const uid = storedNode?.metadata.uid ?? "";
  return owner.uid === uid ? undefined : `node ${nodeName} UID mismatch: expected ${owner.uid} got ${uid}`;
}

function findReference(pod: Pod, node: string): string | undefined {
  const refused = (what: string) => `node ${node} can not create pods that reference ${what}`;
  const { secrets, configMaps, persistentVolumeClaims, resourceClaims, serviceAccount } = referencesOf(pod);
  if (serviceAccount !== "") return refused("a service account");
  if (secrets.size > 0) return refused("secrets");
  if (configMaps.size > 0) return refused("configmaps");
  if (persistentVolumeClaims.size > 0) return refused("persistentvolumeclaims");
  // CVE-2025-4563: a claim of such a pod would bypass the checks of the scheduler.
  if (resourceClaims.size > 0 || (pod.spec?.resourceClaims ?? []).length > 0) return refused("resourceclaims");
  const projectsToken = (pod.spec?.volumes ?? []).some(({ projected }) =>
    (projected?.sources ?? []).some(({ serviceAccountToken }) => serviceAccountToken !== undefined),
  );
  return projectsToken ? refused("a service account") : undefined;
}
