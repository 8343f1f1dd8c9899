import {
  isMirrorPod,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  referencesOf,
  type ResourceSlice,
  type VolumeAttachment,
} from "@kintsugi/api";

export type ReferencedResource =
  | "pods"
  | "secrets"
  | "configmaps"
  | "persistentvolumeclaims"
  | "resourceclaims"
  | "serviceaccounts";

/** The place of an object in its resource. */
export interface Place {
  readonly namespace: string;
  readonly name: string;
}

/**
 * Finds objects that the graph does not contain, because only requests about these objects need
 * them.
 */
export interface GraphSource {
  findPod(place: Place): Pod | undefined;
  findClaim(place: Place): PersistentVolumeClaim | undefined;
  findVolume(name: string): PersistentVolume | undefined;
  findAttachment(name: string): VolumeAttachment | undefined;
  findSlice(name: string): ResourceSlice | undefined;
}

/** References to claims begin with this: "persistentvolumeclaims/default/data". */
const claimPrefix = "persistentvolumeclaims/";

interface BoundPod {
  readonly place: Place;
  readonly nodeName: string;
  /** The objects to which the pod refers, read at the first request of its node. */
  references?: ReadonlySet<string> | undefined;
}

/**
 * The objects that a node may read because a pod bound to it needs them:
 *
 *     node-1 ── pod default/web ── secret default/tls, serviceaccount default/web
 *       │             └─ persistentvolumeclaim default/data ── persistentvolume disk (by claimRef)
 *       │             └─ resourceclaim default/web-gpu-x2x9d
 *       └── volumeattachment csi-…, resourceslice node-1-gpu.example.com-…
 *
 * Only the bindings are kept up to date. A pod is parsed at its node's first request, so that a
 * start with 100,000 pods parses no pods.
 */
export class NodeGraph {
  readonly #pods = new Map<string, BoundPod>();
  readonly #podsOfNode = new Map<string, Set<BoundPod>>();
  readonly #source: GraphSource;

  constructor(source: GraphSource) {
    this.#source = source;
  }

  /** Replaces the earlier binding of the pod. "" means no node. */
  putPod(place: Place, nodeName: string): void {
    this.removePod(place);
    if (nodeName === "") {
      return;
    }
    const pod: BoundPod = { place, nodeName };
    this.#pods.set(keyOf(place), pod);
    const siblings = this.#podsOfNode.get(nodeName);
    if (siblings === undefined) {
      this.#podsOfNode.set(nodeName, new Set([pod]));
    } else {
      siblings.add(pod);
    }
  }

  /**
   * Reads the pod's references again after a write that did not bind the pod, because new ephemeral
   * containers may have added references.
   */
  rereadPod(place: Place): void {
    const pod = this.#pods.get(keyOf(place));
    if (pod !== undefined) {
      pod.references = undefined;
    }
  }

  removePod(place: Place): void {
    const pod = this.#pods.get(keyOf(place));
    if (pod === undefined) {
      return;
    }
    this.#pods.delete(keyOf(place));
    const siblings = this.#podsOfNode.get(pod.nodeName);
    siblings?.delete(pod);
    if (siblings?.size === 0) {
      this.#podsOfNode.delete(pod.nodeName);
    }
  }

  /** Reports whether the object is a pod bound to the node, or an object that such a pod needs. */
  reaches(nodeName: string, resource: ReferencedResource, place: Place): boolean {
    if (resource === "pods") {
      return this.#pods.get(keyOf(place))?.nodeName === nodeName;
    }
    const wanted = referenceTo(resource, place);
    for (const pod of this.#podsOfNode.get(nodeName) ?? []) {
      pod.references ??= this.#read(pod.place);
      if (pod.references.has(wanted)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Reports whether a volume of one of the node's pods names the Secret for a call that the node's
   * kubelet makes. The volumes are read for each answer, because few volumes name Secrets.
   */
  reachesSecretOfVolume(nodeName: string, place: Place): boolean {
    for (const pod of this.#podsOfNode.get(nodeName) ?? []) {
      pod.references ??= this.#read(pod.place);
      for (const reference of pod.references) {
        if (!reference.startsWith(claimPrefix)) continue;
        const [namespace = "", name = ""] = reference.slice(claimPrefix.length).split("/");
        if (this.#secretsOfClaim({ namespace, name }).has(keyOf(place))) return true;
      }
    }
    return false;
  }

  /** A volume counts only if it also names the claim, because a claim may name any volume. */
  #secretsOfClaim(claim: Place): ReadonlySet<string> {
    const volume = this.#source.findVolume(this.#source.findClaim(claim)?.spec?.volumeName ?? "");
    const { claimRef, csi } = volume?.spec ?? {};
    if (claimRef?.namespace !== claim.namespace || claimRef.name !== claim.name) return new Set();
    const used = [csi?.nodeStageSecretRef, csi?.nodePublishSecretRef, csi?.nodeExpandSecretRef];
    return new Set(
      used.flatMap((ref) =>
        ref?.name === undefined ? [] : [keyOf({ namespace: ref.namespace ?? "", name: ref.name })],
      ),
    );
  }

  /** Reports whether the volume is bound to a claim that a pod of the node needs. */
  reachesVolume(nodeName: string, name: string): boolean {
    const ref = this.#source.findVolume(name)?.spec?.claimRef;
    if (ref === undefined) {
      return false;
    }
    return this.reaches(nodeName, "persistentvolumeclaims", { namespace: ref.namespace ?? "", name: ref.name ?? "" });
  }

  /** Reports whether the attachment belongs to the node. */
  reachesAttachment(nodeName: string, name: string): boolean {
    return this.#source.findAttachment(name)?.spec.nodeName === nodeName;
  }

  /** Reports whether the slice lists devices of the node. */
  reachesSlice(nodeName: string, name: string): boolean {
    return this.#source.findSlice(name)?.spec.nodeName === nodeName;
  }

  #read(place: Place): ReadonlySet<string> {
    const pod = this.#source.findPod(place);
    // A node creates its mirror pods itself, so they must not give it access to any object.
    return new Set(pod === undefined || isMirrorPod(pod) ? [] : referencedBy(pod, place.namespace));
  }
}

function referencedBy(pod: Pod, namespace: string): string[] {
  const { secrets, configMaps, persistentVolumeClaims, resourceClaims, serviceAccount } = referencesOf(pod);
  const all = (resource: ReferencedResource, names: Iterable<string>) =>
    [...names].map((name) => referenceTo(resource, { namespace, name }));
  return [
    ...all("secrets", secrets),
    ...all("configmaps", configMaps),
    ...all("persistentvolumeclaims", persistentVolumeClaims),
    ...all("resourceclaims", resourceClaims),
    ...all("serviceaccounts", serviceAccount === "" ? [] : [serviceAccount]),
  ];
}

function referenceTo(resource: ReferencedResource, place: Place): string {
  return `${resource}/${keyOf(place)}`;
}

function keyOf({ namespace, name }: Place): string {
  return `${namespace}/${name}`;
}
