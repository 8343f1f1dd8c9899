import { join } from "node:path";
import type { Clock } from "@kintsugi/clock";
import type { PluginDeps, ProvidedVolume, VolumePlugin, VolumeRequest } from "../plugins/volume-plugin.ts";
import { VolumeError } from "../volume-error.ts";
import { unprocessable } from "./claim-error.ts";
import { ClaimRecords } from "./claim-records.ts";
import { localPlugin, persistentHostPathPlugin, type PersistentVolumePlugin } from "./persistent-volume-plugin.ts";
import { affinityFaultOf, type ClaimedVolume, resolveClaim, type ResolveClaimDeps } from "./resolve-claim.ts";

export interface ClaimPluginDeps extends PluginDeps, ResolveClaimDeps {
  readonly clock: Clock;
  /** Reports that the API no longer has a pod with this UID; false while that is unknown. */
  readonly isGone: (podUid: string) => boolean;
  /** The labels of this node in the API. */
  nodeLabels: () => Readonly<Record<string, string>>;
  /** The volumes of drivers; absent on a node without drivers. */
  readonly drivers?: PersistentVolumePlugin | undefined;
}

/**
 * Longest time that one attempt waits until a pod no longer exists; the pod's next attempt
 * continues.
 */
const goneWaitMsMax = 10_000;
/** Interval at which the records of the node are read in the meantime. */
const goneLookMs = 100;

/** Volumes behind claims, and ephemeral volumes, which have their own claims. */
export function claimPlugin(deps: ClaimPluginDeps): VolumePlugin {
  const records = new ClaimRecords(deps);
  const mounter = new ClaimMounter(deps, records);
  return {
    followsApi: false,
    supports: ({ persistentVolumeClaim, ephemeral }) => (persistentVolumeClaim ?? ephemeral) !== undefined,
    setUp: (request) => mounter.setUp(request),
    unmount: async (podUid) => deps.drivers?.unmount?.(podUid),
    tearDown: (podUid) => records.removeAll(podUid),
  };
}

class ClaimMounter {
  readonly #deps: ClaimPluginDeps;
  readonly #records: ClaimRecords;
  readonly #plugins: readonly PersistentVolumePlugin[];
  /** Volumes for a single pod that are being set up, by name, with that pod's UID. */
  readonly #exclusive = new Map<string, string>();

  constructor(deps: ClaimPluginDeps, records: ClaimRecords) {
    this.#deps = deps;
    this.#records = records;
    const { drivers } = deps;
    this.#plugins = [persistentHostPathPlugin(deps), localPlugin(deps), ...(drivers === undefined ? [] : [drivers])];
  }

  async setUp(request: VolumeRequest): Promise<ProvidedVolume> {
    const { pod, volume } = request;
    const known = this.#records.find(pod.metadata.uid, volume.name);
    if (known !== undefined) return this.#mount(request, known);
    const claimed = await resolveClaim(this.#deps, request);
    return isForOnePod(claimed) ? this.#mountExclusively(request, claimed) : this.#mountFirst(request, claimed);
  }

  /** Another pod must not search for users between the search and the record. */
  async #mountExclusively(request: VolumeRequest, claimed: ClaimedVolume): Promise<ProvidedVolume> {
    const name = claimed.volume.metadata.name ?? "";
    const { uid } = request.pod.metadata;
    const other = this.#exclusive.get(name);
    if (other !== undefined && other !== uid) throw inUse(request, name);
    this.#exclusive.set(name, uid);
    try {
      const others = await this.#records.otherUsers(name, uid);
      if (others.some((other) => !this.#deps.isGone(other))) throw inUse(request, name);
      return await this.#mountFirst(request, claimed);
    } finally {
      this.#exclusive.delete(name);
    }
  }

  async #mountFirst(request: VolumeRequest, claimed: ClaimedVolume): Promise<ProvidedVolume> {
    const { uid } = request.pod.metadata;
    this.#requireAffinity(request, claimed);
    await this.#waitForGone(request, claimed.volume.metadata.name ?? "");
    await this.#records.put(uid, request.volume.name, claimed);
    try {
      return await this.#mount(request, claimed);
    } catch (error) {
      // The claim may be bound to another volume by the next attempt.
      await this.#records.remove(uid, request.volume.name);
      throw error;
    }
  }

  /**
   * A pod that was removed from the API by force may still run here, and its successor must not
   * write at the same time. Its record is removed when its containers have stopped and its volumes
   * are unmounted.
   */
  async #waitForGone({ pod, volume }: VolumeRequest, name: string): Promise<void> {
    const { clock, isGone } = this.#deps;
    const startedMs = clock.monotonicMs();
    for (;;) {
      const users = [...(await this.#records.otherUsers(name, pod.metadata.uid)), ...(await this.#mountedFor(name))];
      const leaving = users.filter((uid) => uid !== pod.metadata.uid && isGone(uid));
      if (leaving.length === 0) return;
      if (clock.monotonicMs() - startedMs >= goneWaitMsMax) {
        const because = `volume is still in use by pod ${leaving[0]}, which is deleted and has not stopped on this node`;
        throw failed(volume.name, `MountVolume.SetUp failed for volume "${name}" : ${because}`);
      }
      await clock.sleep(goneLookMs);
    }
  }

  /**
   * Returns the UIDs of the pods for which the volume is mounted, because a kubelet whose records
   * are lost has no other source.
   */
  async #mountedFor(name: string): Promise<string[]> {
    const parent = join(this.#deps.node.rootDirectory, "pods");
    const parts = (await this.#deps.mounts.below(parent)).map((path) => path.slice(parent.length + 1).split("/"));
    return parts.flatMap(([uid = "", directory, plugin, volume]) =>
      directory === "volumes" && plugin?.startsWith("kubernetes.io~") === true && volume === name ? [uid] : [],
    );
  }

  async #mount({ pod, volume }: VolumeRequest, claimed: ClaimedVolume): Promise<ProvidedVolume> {
    const name = claimed.volume.metadata.name ?? "";
    const plugin = this.#plugins.find((one) => one.supports(claimed.volume));
    if (plugin === undefined) {
      const fault = `failed to get Plugin from volumeSpec for volume "${name}" err=no volume plugin matched`;
      throw unprocessable(volume.name, fault);
    }
    try {
      return await plugin.setUp(pod, claimed);
    } catch (error) {
      throw failed(volume.name, `MountVolume.SetUp failed for volume "${name}" : ${(error as Error).message}`, error);
    }
  }

  #requireAffinity({ volume }: VolumeRequest, claimed: ClaimedVolume): void {
    const node = { name: this.#deps.node.nodeName, labels: this.#deps.nodeLabels() };
    const fault = affinityFaultOf(claimed.volume, node);
    if (fault === undefined) return;
    const { name } = claimed.volume.metadata;
    throw failed(volume.name, `MountVolume.NodeAffinity check failed for volume "${name}" : ${fault}`);
  }
}

/** Upstream checks only volumes that have this access mode alone. */
function isForOnePod({ volume }: ClaimedVolume): boolean {
  const modes = volume.spec?.accessModes ?? [];
  return modes.length === 1 && modes[0] === "ReadWriteOncePod";
}

function inUse({ volume }: VolumeRequest, name: string): VolumeError {
  const because = "volume uses the ReadWriteOncePod access mode and is already in use by another pod";
  return failed(volume.name, `MountVolume.SetUp failed for volume "${name}" : ${because}`);
}

function failed(volumeName: string, message: string, cause?: unknown): VolumeError {
  return new VolumeError(volumeName, message, { cause });
}
