import { configAnnotations, isMirrorPod, type Pod } from "@kintsugi/api";
import { type BoundPod, fullNameOf, isMirrorOf } from "../../model/bound-pod.ts";

/** The changes for the workers: the static pods to start and to end. */
export interface StaticPodPlan {
  begin: BoundPod[];
  end: BoundPod[];
}

/**
 * Compares the manifests with the running pods, by uid. A pod whose manifest was changed is a new
 * pod of the same name. It starts when the previous pod has stopped, as in upstream's
 * pod_workers.go allowStaticPodStart.
 */
export function planStaticPods(wanted: readonly BoundPod[], begun: readonly BoundPod[]): StaticPodPlan {
  const names = new Set(begun.map(fullNameOf));
  const uids = new Set(wanted.map(({ metadata }) => metadata.uid));
  return {
    begin: wanted.filter((pod) => !names.has(fullNameOf(pod))),
    end: begun.filter(({ metadata }) => !uids.has(metadata.uid)),
  };
}

export type MirrorAction = { kind: "create"; pod: BoundPod } | { kind: "delete"; mirror: Pod };

/**
 * Plans the writes after which each started static pod has its mirror in the API, and no other
 * mirrors exist (kubelet.go SyncPod, HandlePodCleanups). A mirror that was deleted, that shows an
 * older manifest, or that is `retired` (by uid, because it shows how an earlier life of the same
 * pod ended) is removed first.
 */
export function planMirrors(
  begun: readonly BoundPod[],
  stored: readonly Pod[],
  retired: ReadonlySet<string> = new Set(),
): MirrorAction[] {
  const mirrors = stored.filter(isMirrorPod);
  const actions: MirrorAction[] = mirrors
    .filter(
      (mirror) =>
        mirror.metadata.deletionTimestamp !== undefined ||
        retired.has(mirror.metadata.uid ?? "") ||
        !begun.some((pod) => isMirrorOf(mirror, pod)),
    )
    .map((mirror) => ({ kind: "delete", mirror }));
  for (const pod of begun) {
    if (!stored.some((each) => fullNameOf(each) === fullNameOf(pod))) actions.push({ kind: "create", pod });
  }
  return actions;
}

/**
 * The copy of a static pod for the API. Its owner is the Node, so that it is removed with the Node.
 */
export function mirrorOf({ metadata, spec }: BoundPod, node: { name: string; uid: string }): Pod {
  const { name, namespace, labels, annotations, uid } = metadata;
  return {
    metadata: {
      name,
      namespace,
      ...(labels ? { labels } : {}),
      annotations: { ...annotations, [configAnnotations.mirror]: annotations?.[configAnnotations.hash] ?? uid },
      ownerReferences: [{ apiVersion: "v1", kind: "Node", name: node.name, uid: node.uid, controller: true }],
    },
    spec,
  };
}
