import { memoryBytes, podLimits, type Volume } from "@kintsugi/api";
import { removeWithMounts } from "../../../machine/files/remove-with-mounts.ts";
import { type BoundPod, containersOf } from "../../../model/bound-pod.ts";
import { unsupportedVolume } from "./unsupported-volume.ts";
import { type PluginDeps, volumeDirectory, type VolumePlugin, type VolumeRequest } from "./volume-plugin.ts";

/** Directories that a pod's containers share until the pod ends, on disk or in memory. */
export function emptyDirPlugin(deps: PluginDeps): VolumePlugin {
  const directoryOf = ({ pod, volume }: VolumeRequest) =>
    volumeDirectory(deps.node, pod.metadata.uid, { plugin: "empty-dir", name: volume.name });
  return {
    followsApi: false,
    supports: ({ emptyDir }) => emptyDir !== undefined,
    setUp: async (request) => ({ hostPath: await provideEmpty(deps, request, directoryOf(request)), readonly: false }),
    reset: (request) => removeWithMounts(deps, directoryOf(request)),
  };
}

async function provideEmpty(deps: PluginDeps, request: VolumeRequest, directory: string): Promise<string> {
  const { files, mounts, node } = deps;
  const { pod, volume } = request;
  const { emptyDir = {} } = volume;
  const { medium = "" } = emptyDir;
  if (medium !== "" && medium !== "Memory") throw unsupportedVolume(volume, `medium ${medium}`);
  const isThere =
    medium === "Memory" ? (await mounts.below(directory)).length > 0 : (await files.kindOf(directory)) !== undefined;
  if (isThere) return directory;
  await files.makeDirectory(directory, 0o777);
  if (medium === "Memory") {
    await mounts.mountMemory(directory, memorySizeBytes(pod, emptyDir, node.allocatable.memoryBytes));
  }
  const { fsGroup } = pod.spec.securityContext ?? {};
  if (fsGroup !== undefined) await files.grantGroup(directory, fsGroup, { readonly: false });
  return directory;
}

type EmptyDir = NonNullable<Volume["emptyDir"]>;

/**
 * Returns the size limit of a volume in memory: the memory limit of the pod (the node's limit, if a
 * container has none), or the volume's own limit if that is less (empty_dir.go
 * calculateEmptyDirMemorySize).
 */
export function memorySizeBytes(pod: BoundPod, emptyDir: EmptyDir, allocatableBytes: number): number {
  const sizes = [allocatableBytes, podMemoryLimitBytes(pod), memoryBytes(emptyDir.sizeLimit)];
  return Math.min(...sizes.filter((bytes) => bytes > 0));
}

/** 0 when the pod as a whole has no limit. */
function podMemoryLimitBytes(pod: BoundPod): number {
  const limitedThroughout =
    pod.spec.resources?.limits?.["memory"] !== undefined ||
    containersOf(pod).every(({ resources }) => memoryBytes(resources?.limits?.["memory"]) > 0);
  return limitedThroughout ? (podLimits(pod)["memory"] ?? 0) : 0;
}
