import { join } from "node:path";
import { writeAtomicDirectory } from "../atomic-directory.ts";
import { hasApiFiles, volumeFiles, type VolumeFilesDeps } from "../volume-files.ts";
import { type PluginDeps, typeOf, volumeDirectory, type VolumePlugin } from "./volume-plugin.ts";

/** ConfigMaps, Secrets, fields of the pod and tokens, as files that change atomically. */
export function apiFilesPlugin(deps: PluginDeps & VolumeFilesDeps): VolumePlugin {
  const { files, node } = deps;
  const inMemory = (podUid: string) => join(node.memoryDirectory, podUid);
  return {
    followsApi: true,
    supports: hasApiFiles,
    async setUp({ pod, volume }) {
      const { uid } = pod.metadata;
      const isSecretive = Boolean(volume.secret ?? volume.projected);
      const hostPath = isSecretive
        ? join(inMemory(uid), volume.name)
        : volumeDirectory(node, uid, { plugin: typeOf(volume).toLowerCase(), name: volume.name });
      // The addresses of a pod are not in its volumes, so that the volumes can be created before
      // the sandbox has addresses.
      const wanted = await volumeFiles(volume, { pod, podIps: [], node }, deps);
      const { fsGroup: groupId } = pod.spec.securityContext ?? {};
      await writeAtomicDirectory(files, hostPath, { files: wanted, groupId });
      return { hostPath, readonly: true };
    },
    tearDown: (podUid) => files.remove(inMemory(podUid)),
  };
}
