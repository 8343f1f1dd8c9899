import { join } from "node:path";
import { writeWhole } from "../cluster/cluster-files.ts";
import { cniConfig } from "./cni-config.ts";
import { containerdConfig } from "./containerd-config.ts";
import { canOverlay, cniPluginDirectory, hasSysResource } from "./host-capabilities.ts";

/** Where one containerd has everything. */
export interface ContainerdPlaces {
  readonly configFile: string;
  readonly root: string;
  readonly state: string;
  readonly socket: string;
  readonly registryDirectory: string;
  readonly cniConfigDirectory: string;
  readonly ipamDirectory: string;
}

/** Writes the configuration of a containerd, as this host can run it, and of the network of its pods. */
export async function writeContainerdFiles(places: ContainerdPlaces, podCidr: string): Promise<void> {
  const { configFile, ipamDirectory, cniConfigDirectory } = places;
  const [overlay, sysResource] = await Promise.all([canOverlay(places.root), hasSysResource()]);
  const config = containerdConfig({
    ...places,
    cniPluginDirectory: cniPluginDirectory(),
    snapshotter: overlay ? "overlayfs" : "native",
    restrictOomScoreAdj: !sysResource,
  });
  await writeWhole(configFile, config);
  await writeWhole(join(cniConfigDirectory, "10-kintsugi.conflist"), cniConfig({ podCidr, ipamDirectory }));
}
