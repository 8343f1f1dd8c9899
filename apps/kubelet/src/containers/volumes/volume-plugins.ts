import { type ClaimPluginDeps, claimPlugin } from "./claims/claim-plugin.ts";
import { csiInlinePlugin } from "./csi/csi-plugin.ts";
import type { CsiVolumes } from "./csi/csi-volumes.ts";
import { apiFilesPlugin } from "./plugins/api-files.ts";
import { emptyDirPlugin } from "./plugins/empty-dir.ts";
import { hostPathPlugin } from "./plugins/host-path.ts";
import type { VolumePlugin } from "./plugins/volume-plugin.ts";
import type { VolumeFilesDeps } from "./volume-files.ts";

export type VolumePluginDeps = VolumeFilesDeps &
  ClaimPluginDeps & {
    /** Volumes that pods describe themselves; undefined on a node without drivers. */
    readonly inline: CsiVolumes | undefined;
  };

/** Returns the plugins for every type of volume that this kubelet provides. */
export function volumePlugins(deps: VolumePluginDeps): readonly VolumePlugin[] {
  return [
    emptyDirPlugin(deps),
    hostPathPlugin(deps),
    apiFilesPlugin(deps),
    claimPlugin(deps),
    csiInlinePlugin(deps.inline),
  ];
}
