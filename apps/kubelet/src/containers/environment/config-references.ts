import type { ObjectKey } from "@kintsugi/api";
import type { BoundPod } from "../../model/bound-pod.ts";

/** A ConfigMap or Secret that a pod names. */
export interface ConfigReference extends ObjectKey {
  resource: "configmaps" | "secrets";
}

/**
 * Lists the objects in the pod's volumes, each once. Objects in its variables no longer matter
 * after a container has started.
 */
export function volumeReferences(pod: BoundPod): ConfigReference[] {
  const { namespace } = pod.metadata;
  const named = (pod.spec.volumes ?? []).flatMap(({ configMap, secret, projected }) => [
    { resource: "configmaps" as const, name: configMap?.name },
    { resource: "secrets" as const, name: secret?.secretName },
    ...(projected?.sources ?? []).flatMap((source) => [
      { resource: "configmaps" as const, name: source.configMap?.name },
      { resource: "secrets" as const, name: source.secret?.name },
    ]),
  ]);
  const references = new Map<string, ConfigReference>();
  for (const { resource, name = "" } of named) {
    const reference = { resource, namespace, name };
    if (name !== "") references.set(referenceKey(reference), reference);
  }
  return [...references.values()];
}

export function referenceKey({ resource, namespace, name }: ConfigReference): string {
  return `${resource}/${namespace}/${name}`;
}
