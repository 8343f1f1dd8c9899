import type { Pod } from "@kintsugi/api";
import { referencesOf } from "./pod-references.ts";

export const mirrorPodAnnotation = "kubernetes.io/config.mirror";

export type ReferencedResource = "pods" | "secrets" | "configmaps" | "persistentvolumeclaims" | "serviceaccounts";

/**
 * Which objects a node may read because a pod bound to it needs them:
 *
 *     node-1 ── pod default/web ── secret default/tls, serviceaccount default/web
 *
 * Kept as counts, because two pods of a node may need the same secret.
 */
export class NodeGraph {
  readonly #counts = new Map<string, Map<string, number>>();
  readonly #pods = new Map<string, { nodeName: string; references: readonly string[] }>();

  /** Replaces what was known of the pod. What a bound pod refers to cannot change. */
  putPod(pod: Pod): void {
    const { namespace = "", name = "", annotations } = pod.metadata;
    this.removePod(namespace, name);
    const nodeName = pod.spec?.nodeName ?? "";
    if (nodeName === "") {
      return;
    }
    const references = [referenceTo("pods", namespace, name)];
    // A node creates its mirror pods itself: they must not give it access to anything.
    if (annotations === undefined || !Object.hasOwn(annotations, mirrorPodAnnotation)) {
      references.push(...referencedBy(pod, namespace));
    }
    this.#pods.set(`${namespace}/${name}`, { nodeName, references });
    this.#add(nodeName, references, 1);
  }

  removePod(namespace: string, name: string): void {
    const known = this.#pods.get(`${namespace}/${name}`);
    if (known !== undefined) {
      this.#pods.delete(`${namespace}/${name}`);
      this.#add(known.nodeName, known.references, -1);
    }
  }

  /** Whether a pod bound to the node needs the object. */
  reaches(nodeName: string, resource: ReferencedResource, key: { namespace: string; name: string }): boolean {
    return this.#counts.get(nodeName)?.has(referenceTo(resource, key.namespace, key.name)) === true;
  }

  #add(nodeName: string, references: readonly string[], difference: 1 | -1): void {
    const counts = this.#counts.get(nodeName) ?? new Map<string, number>();
    for (const reference of references) {
      const count = (counts.get(reference) ?? 0) + difference;
      if (count === 0) {
        counts.delete(reference);
      } else {
        counts.set(reference, count);
      }
    }
    if (counts.size === 0) {
      this.#counts.delete(nodeName);
    } else {
      this.#counts.set(nodeName, counts);
    }
  }
}

function referencedBy(pod: Pod, namespace: string): string[] {
  const { secrets, configMaps, persistentVolumeClaims, serviceAccount } = referencesOf(pod);
  return [
    ...[...secrets].map((name) => referenceTo("secrets", namespace, name)),
    ...[...configMaps].map((name) => referenceTo("configmaps", namespace, name)),
    ...[...persistentVolumeClaims].map((name) => referenceTo("persistentvolumeclaims", namespace, name)),
    ...(serviceAccount === "" ? [] : [referenceTo("serviceaccounts", namespace, serviceAccount)]),
  ];
}

function referenceTo(resource: ReferencedResource, namespace: string, name: string): string {
  return `${resource}/${namespace}/${name}`;
}
