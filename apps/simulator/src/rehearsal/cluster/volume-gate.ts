import { type PersistentVolumeClaim, type Pod } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { LivePods } from "./live-pods.ts";

export interface VolumeGateDeps {
  readonly clock: Clock;
  readonly pods: LivePods;
  readonly findClaim: (namespace: string, name: string) => PersistentVolumeClaim | undefined;
  /** The claim's volume must be attached to a node before it is mounted there. */
  readonly isAttached: (claim: PersistentVolumeClaim) => boolean;
  /** A user confirms by a taint that the node is off: its volumes are detached immediately. */
  readonly isVouchedFor: (nodeName: string) => boolean;
  /** The node runs, so that its kubelet can unmount a volume. */
  readonly isAlive: (nodeName: string) => boolean;
}

export interface VolumeGateOptions {
  /** Draws the time to detach from one node and attach to another. */
  readonly moveMs: () => number;
  /** Time that a node that does not respond has to unmount before its volume is force-detached. */
  readonly forceDetachMs: number;
}

/** Interval at which a pod checks for its volume. */
const lookMs = 1000;

/**
 * Volumes that only one node at a time may mount. A pod waits while a pod of another node has its
 * claim, even if it is being deleted, as with the attach-detach controller, and then for the
 * volume's move.
 */
export class VolumeGate {
  readonly #deps: VolumeGateDeps;
  readonly #options: VolumeGateOptions;
  /** The node on which a claim was last mounted, while it has pods or was lost. */
  readonly #lastNode = new Map<string, string>();
  #moves = 0;

  constructor(deps: VolumeGateDeps, options: VolumeGateOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  /** Records where the claims of the running pods are mounted. */
  begin(): void {
    for (const pod of this.#deps.pods.all())
      for (const claim of this.#singleClaims(pod)) if (pod.spec?.nodeName) this.#lastNode.set(claim, pod.spec.nodeName);
  }

  /** Resolves when the pod's volumes are attached; undefined if the pod does not have to wait. */
  attach(uid: string, nodeName: string): Promise<void> | undefined {
    const pod = this.#deps.pods.on(nodeName).find(({ metadata }) => metadata.uid === uid);
    const claims = pod === undefined ? [] : this.#singleClaims(pod);
    const moving = claims.filter((claim) => (this.#lastNode.get(claim) ?? nodeName) !== nodeName);
    for (const claim of claims) if (!moving.includes(claim)) this.#lastNode.set(claim, nodeName);
    return moving.length === 0 ? undefined : this.#move(moving, nodeName);
  }

  /** True while a volume moves to another node. */
  get isMoving(): boolean {
    return this.#moves > 0;
  }

  /** Returns the claims of a pod that a pod on another node still uses. */
  heldElsewhere(pod: Pod): readonly string[] {
    return this.#singleClaims(pod).filter((claim) => this.#holder(claim, pod.spec?.nodeName ?? "") !== undefined);
  }

  async #move(claims: readonly string[], nodeName: string): Promise<void> {
    const { clock } = this.#deps;
    while (claims.some((claim) => this.#holder(claim, nodeName) !== undefined)) await clock.sleep(lookMs);
    this.#moves++;
    const { isAlive, isVouchedFor } = this.#deps;
    const before = claims.map((claim) => this.#lastNode.get(claim) ?? nodeName);
    const isForced = before.some((name) => !isAlive(name) && !isVouchedFor(name));
    await clock.sleep(this.#options.moveMs() + (isForced ? this.#options.forceDetachMs : 0));
    this.#moves--;
    for (const claim of claims) this.#lastNode.set(claim, nodeName);
  }

  #holder(claim: string, nodeName: string): Pod | undefined {
    for (const pod of this.#deps.pods.all()) {
      const own = pod.spec?.nodeName ?? "";
      if (own !== "" && own !== nodeName && this.#singleClaims(pod).includes(claim)) return pod;
    }
    return undefined;
  }

  #singleClaims({ metadata, spec }: Pod): string[] {
    const { namespace = "" } = metadata;
    return (spec?.volumes ?? []).flatMap(({ persistentVolumeClaim }) => {
      const name = persistentVolumeClaim?.claimName;
      const claim = name === undefined ? undefined : this.#deps.findClaim(namespace, name);
      const modes = claim?.spec?.accessModes ?? [];
      const isSingle =
        modes.length > 0 && modes.every((mode) => mode === "ReadWriteOnce" || mode === "ReadWriteOncePod");
      return isSingle && claim !== undefined && this.#deps.isAttached(claim) ? [`${namespace}/${name}`] : [];
    });
  }
}
