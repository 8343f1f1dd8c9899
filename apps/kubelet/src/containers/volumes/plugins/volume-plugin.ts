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
  /** True where the path is a raw device, which containers get by their `volumeDevices`. */
  isDevice?: boolean;
}

/** A volume of a pod that is to be set up. */
export interface VolumeRequest {
  readonly pod: BoundPod;
  readonly volume: Volume;
}

/** The parts of the node that every plugin uses. */
export interface PluginDeps {
  files: Files;
  mounts: Mounts;
  node: NodeContext;
}

/**
 * One type of volume. A plugin has no state in memory that it would need after a restart, because
 * it finds its volumes in the pod's directory and in the mount table. When the pod ends, everything
 * that is mounted in its directory is unmounted, and its directory `volumes` is removed.
 */
export interface VolumePlugin {
  supports(volume: Volume): boolean;
  /** May be repeated after a crash at any moment; an existing volume is unchanged. */
  setUp(request: VolumeRequest): Promise<ProvidedVolume>;
  /** True where the files come from the API, and are updated while containers run. */
  readonly followsApi: boolean;
  /** Empties a volume that lives as long as the containers, none of which may be running. */
  reset?(request: VolumeRequest): Promise<void>;
  /** Removes the pod's mounts that need more than an unmount, before its directory is removed. */
  unmount?(podUid: string): Promise<void>;
  /** Removes the rest after the mounts and the directory `volumes` were removed. */
  tearDown?(podUid: string): Promise<void>;
}

/** Returns a volume's directory, with upstream's names: "kubernetes.io~empty-dir". */
export function volumeDirectory(node: NodeContext, podUid: string, place: { plugin: string; name: string }): string {
  return join(podDirectory(node, podUid), "volumes", `kubernetes.io~${place.plugin}`, place.name);
}

/** Returns the volume's type by its field name: "nfs". */
export function typeOf(volume: Volume): string {
  return Object.keys(volume).find((field) => field !== "name") ?? "emptyDir";
}
