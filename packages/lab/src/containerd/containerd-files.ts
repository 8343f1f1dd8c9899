import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { writeWhole } from "@kintsugi/daemon";
import { cniConfig } from "./cni-config.ts";
import { containerdConfig } from "./containerd-config.ts";
import { canOverlay, cniPluginDirectory, hasSysResource } from "./host-capabilities.ts";
import { plainOciRuntime, type OciRuntime } from "../settings/nodes/oci-runtimes.ts";
import { prepareOciRuntime } from "./prepare-oci-runtime.ts";

/** The paths of one containerd. */
export interface ContainerdPlaces {
  readonly configFile: string;
  readonly root: string;
  readonly state: string;
  readonly socket: string;
  readonly registryDirectory: string;
  readonly cniConfigDirectory: string;
  readonly ipamDirectory: string;
  /** Default: the runtime does not apply CDI devices. */
  readonly cdiDirectory?: string;
}

export interface ContainerdSettings {
  /**
   * The range of the pods' addresses; if undefined, the network is a template, which containerd
   * completes when the kubelet sets the range.
   */
  podCidr: string | undefined;
  /** Default runc. */
  ociRuntime?: OciRuntime | undefined;
}

/**
 * The name of the file in which this program writes the pods' network, and the name that containerd
 * uses; if several files exist, containerd uses the first file by name.
 */
const networkFiles = { ours: "10-kintsugi.conflist", containerds: "10-containerd-net.conflist" } as const;

/** Writes the configuration of a containerd for this host, and of its pods' network. */
export async function writeContainerdFiles(
  places: ContainerdPlaces,
  { podCidr, ociRuntime = plainOciRuntime }: ContainerdSettings,
): Promise<void> {
  const { configFile, ipamDirectory, cniConfigDirectory } = places;
  const [overlay, sysResource, ociRuntimeProgram] = await Promise.all([
    canOverlay(places.root),
    hasSysResource(),
    prepareOciRuntime(ociRuntime, dirname(configFile)),
  ]);
  const template = `${configFile}.network`;
  const config = containerdConfig({
    ...places,
    cniTemplate: podCidr === undefined ? template : "",
    cniPluginDirectory: cniPluginDirectory(),
    snapshotter: overlay ? "overlayfs" : "native",
    restrictOomScoreAdj: !sysResource,
    ociRuntime,
    ociRuntimeProgram,
  });
  await writeWhole(configFile, config);
  const hasIpv6 = existsSync("/proc/sys/net/ipv6");
  const network = { podCidr: podCidr ?? "{{.PodCIDR}}", ipamDirectory, hasIpv6 };
  const [written, other] =
    podCidr === undefined
      ? [template, networkFiles.ours]
      : [join(cniConfigDirectory, networkFiles.ours), networkFiles.containerds];
  await writeWhole(written, cniConfig(network));
  await rm(join(cniConfigDirectory, other), { force: true });
}
