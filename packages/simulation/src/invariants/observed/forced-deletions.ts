import type { Node } from "@kintsugi/api";
import { isOutOfService } from "./down-taints.ts";
import { staleViewMs } from "./stale-view.ts";
import type { SeenRequest } from "./seen-request.ts";

/** Pods that controllers force-delete have this identity in simulated clusters. */
export const controllerManager = "system:kube-controller-manager";

/**
 * A pod that is deleted immediately by a client that is not its node, even if parts of it still
 * run.
 */
interface ForcedDeletion {
  readonly isByController: boolean;
  /** A user has declared the node off, by its deletion or by a taint. */
  readonly isNodeOff: boolean;
}

interface ForcedDeletionsDeps {
  /** The time in which the store commits. */
  readonly activeMs: () => number;
  readonly node: (name: string) => Node | undefined;
}

/** All forced deletions of pods that were requested in a run, by the pod's UID. */
export class ForcedDeletions {
  readonly #deps: ForcedDeletionsDeps;
  readonly #byUid = new Map<string, ForcedDeletion>();
  /** The time at which a node was last deleted or out of service, by its name. */
  readonly #offMs = new Map<string, number>();

  constructor(deps: ForcedDeletionsDeps) {
    this.#deps = deps;
  }

  has(uid: string): boolean {
    return this.#byUid.has(uid);
  }

  /**
   * True if the pod's containers may continue to run without the pod, because a user has taken that
   * risk.
   */
  isAtUsersRisk(uid: string): boolean {
    const deletion = this.#byUid.get(uid);
    return deletion !== undefined && (!deletion.isByController || deletion.isNodeOff);
  }

  /** A Node has changed or no longer exists. */
  noteNode(type: "put" | "delete", node: Node): void {
    const isOff = type === "delete" || isOutOfService(node);
    const name = node.metadata.name ?? "";
    // The taint of a recovered node applied until now.
    if (isOff || this.#offMs.get(name) === Infinity) this.#offMs.set(name, this.#deps.activeMs());
    if (isOff) this.#offMs.set(name, Infinity);
  }

  note({ request, target }: Pick<SeenRequest, "request" | "target">): void {
    const { uid = "", nodeName = "" } = target ?? {};
    const { activeMs, node } = this.#deps;
    const offMs = this.#offMs.get(nodeName) ?? -Infinity;
    this.#byUid.set(uid, {
      isByController: request.identity.name === controllerManager,
      isNodeOff: node(nodeName) === undefined || offMs + staleViewMs >= activeMs(),
    });
  }
}
