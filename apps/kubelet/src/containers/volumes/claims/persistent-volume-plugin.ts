import type { PersistentVolume } from "@kintsugi/api";
import type { Files } from "../../../machine/files/files.ts";
import type { BoundPod } from "../../../model/bound-pod.ts";
import { requireHostPath } from "../plugins/host-path.ts";
import { type PluginDeps, type ProvidedVolume, volumeDirectory } from "../plugins/volume-plugin.ts";
import type { ClaimedVolume } from "./resolve-claim.ts";

/** One type of PersistentVolume. */
export interface PersistentVolumePlugin {
  supports(volume: PersistentVolume): boolean;
  /** May be repeated after a crash at any moment; an existing mount is unchanged. */
  setUp(pod: BoundPod, claimed: ClaimedVolume): Promise<ProvidedVolume>;
  /** Removes the pod's mounts that need more than an unmount. May be repeated. */
  unmount?(podUid: string): Promise<void>;
}

/** Files and directories of the node on which the pod runs. */
export function persistentHostPathPlugin({ files }: Pick<PluginDeps, "files">): PersistentVolumePlugin {
  return {
    supports: ({ spec }) => spec?.hostPath !== undefined,
    async setUp(_pod, { volume, readonly }) {
      const { hostPath = { path: "" } } = volume.spec ?? {};
      await requireHostPath(files, hostPath);
      return { hostPath: hostPath.path, readonly };
    },
  };
}

/**
 * Directories of one node, each bind-mounted into the directory of the pod that uses it (local.go).
 */
export function localPlugin({ files, mounts, node }: PluginDeps): PersistentVolumePlugin {
  return {
    supports: ({ spec }) => spec?.local !== undefined,
    async setUp(pod, { volume, readonly }) {
      const { metadata, spec } = volume;
      const path = spec?.local?.path ?? "";
      const target = volumeDirectory(node, pod.metadata.uid, { plugin: "local-volume", name: metadata.name ?? "" });
      if (spec?.volumeMode === "Block") return requireDevice(files, path, readonly);
      if ((await mounts.below(target)).length > 0) return { hostPath: target, readonly };
      const kind = await files.kindOf(path);
      if (kind === undefined) throw new Error(`path "${path}" does not exist`);
      if (kind !== "directory") throw new Error("only directories are supported by this kubelet");
      const { fsGroup } = pod.spec.securityContext ?? {};
      // The group is set before the mount, so that both steps are repeated after a crash between
      // them.
      if (fsGroup !== undefined && !readonly) await files.grantGroup(path, fsGroup, { readonly: false });
      await mounts.bindInside({ root: path, inside: "", target });
      return { hostPath: target, readonly };
    },
  };
}

/** A raw device is passed on unchanged. */
async function requireDevice(files: Files, path: string, readonly: boolean): Promise<ProvidedVolume> {
  if ((await files.kindOf(path)) !== "block-device") throw new Error(`path "${path}" is not a block device`);
  return { hostPath: path, readonly, isDevice: true };
}
