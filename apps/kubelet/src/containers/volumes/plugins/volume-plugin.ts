import { join } from "node:path";
import type { Volume } from "@kintsugi/api";
import type { Files } from "../../../machine/files/files.ts";
import type { Mounts } from "../../../machine/files/mounts.ts";
import type { BoundPod } from "../../../model/bound-pod.ts";
import { type NodeContext, podDirectory } from "../../../model/node-context.ts";

/** A directory, file or raw device of the node that containers can use. */
export interface ProvidedVolume {
  hostPath: string;
  readonly: boolean;
  /** The path is a raw device, which containers get by their `volumeDevices`. */
  isDevice?: boolean;
}

/** A volume of a pod that is to be set up. */
export interface VolumeRequest {
  readonly pod: BoundPod;
  readonly volume: Volume;
}

/** The parts of the node on which every plugin works. */
export interface PluginDeps {
  files: Files;
  mounts: Mounts;
  node: NodeContext;
}

/**
 * One type of volume. A plugin keeps nothing in memory that it would need after a restart: it finds
 * its volumes in the pod's directory and in the table of mounts. When the pod ends, everything that
 * is mounted in its directory is unmounted, and its directory `volumes` goes.
 */
export interface VolumePlugin {
  supports(volume: Volume): boolean;
  /** Can be repeated after a crash at any moment; a volume that is there stays. */
  setUp(request: VolumeRequest): Promise<ProvidedVolume>;
  /** The files come from the API, and follow it while containers run. */
  readonly followsApi: boolean;
  /** Empties a volume that lives as long as the containers; none of them may be running. */
  reset?(request: VolumeRequest): Promise<void>;
  /** Takes away the pod's mounts that need more than an unmount, before its directory goes. */
  unmount?(podUid: string): Promise<void>;
  /** Removes the rest, once the mounts and the directory `volumes` have gone. */
  tearDown?(podUid: string): Promise<void>;
}

/** Returns a volume's directory, with upstream's names: "kubernetes.io~empty-dir". */
export function volumeDirectory(node: NodeContext, podUid: string, place: { plugin: string; name: string }): string {
  return join(podDirectory(node, podUid), "volumes", `kubernetes.io~${place.plugin}`, place.name);
}

/** Returns the volume's type as its field is called: "nfs". */
export function typeOf(volume: Volume): string {
  return Object.keys(volume).find((field) => field !== "name") ?? "emptyDir";
}
