import { join } from "node:path";
import { pauseImage } from "../images/standard-images.ts";
import type { OciRuntime } from "../settings/nodes/oci-runtimes.ts";

export interface ContainerdOptions {
  /** Images, containers, snapshots: the data that survives a reboot. */
  root: string;
  /** Sockets of shims, mounts: the data that is lost at a reboot. */
  state: string;
  socket: string;
  cniConfigDirectory: string;
  cniPluginDirectory: string;
  /**
   * The template from which containerd writes the pods' network when the kubelet sets their range;
   * "" if the network is written already.
   */
  cniTemplate: string;
  /** One directory per registry with its hosts.toml: mirrors, and registries without TLS. */
  registryDirectory: string;
  /**
   * The directory of CDI specifications, which only containerd 1.7 and later reads; default: none.
   */
  cdiDirectory?: string | undefined;
  /** "overlayfs", or "native" if overlayfs cannot be used. */
  snapshotter: "overlayfs" | "native";
  ociRuntime: OciRuntime;
  /** The program of the runtime: a name on containerd's path, or a file. */
  ociRuntimeProgram: string;
  /** A host without CAP_SYS_RESOURCE cannot lower OOM scores, and runc fails if it tries. */
  restrictOomScoreAdj: boolean;
}

/**
 * Plugins that a node does not need, and plugins that take time to detect that they cannot work on
 * this host.
 */
const disabledPlugins = [
  "io.containerd.internal.v1.tracing",
  "io.containerd.snapshotter.v1.aufs",
  "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.devmapper",
  "io.containerd.snapshotter.v1.zfs",
  "io.containerd.tracing.processor.v1.otlp",
];

/** containerd's configuration, version 2: read by 1.6 and 1.7, and migrated by 2.x. */
export function containerdConfig(options: ContainerdOptions): string {
  const cri = 'plugins."io.containerd.grpc.v1.cri"';
  return toml([
    ["", { version: 2, root: options.root, state: options.state, oom_score: 0, disabled_plugins: disabledPlugins }],
    ["grpc", { address: options.socket }],
    ["ttrpc", { address: `${options.socket}.ttrpc` }],
    ["debug", { level: "warn" }],
    // A containerd that starts kills the containers of a shim that does not respond within this
    // time. The default is 5 s, which on a busy node even healthy shims exceed (containerd's pull
    // request 3378); a stuck shim delays the other shims by this time.
    ["timeouts", { '"io.containerd.timeout.shim.load"': "30s" }],
    ['plugins."io.containerd.internal.v1.opt"', { path: join(options.root, "opt") }],
    // containerd 2 enables NRI by default, on one socket of the host, which the last containerd
    // that starts takes over.
    ['plugins."io.containerd.nri.v1.nri"', { disable: true }],
    [
      cri,
      {
        sandbox_image: pauseImage,
        restrict_oom_score_adj: options.restrictOomScoreAdj,
        netns_mounts_under_state_dir: true,
        tolerate_missing_hugetlb_controller: true,
        stream_server_address: "127.0.0.1",
        stream_server_port: "0",
        // Maximum length of a log line: 16 KiB, as the kubelet expects of CRI.
        max_container_log_line_size: 16_384,
        // containerd 1.6 ignores both settings.
        ...(options.cdiDirectory === undefined ? {} : { enable_cdi: true, cdi_spec_dirs: [options.cdiDirectory] }),
      },
    ],
    [
      `${cri}.containerd`,
      { snapshotter: options.snapshotter, discard_unpacked_layers: true, default_runtime_name: options.ociRuntime },
    ],
    // The name of the shim, which runs any program with runc's command line.
    [`${cri}.containerd.runtimes.${options.ociRuntime}`, { runtime_type: "io.containerd.runc.v2" }],
    [
      `${cri}.containerd.runtimes.${options.ociRuntime}.options`,
      // The runtime's records of its containers are removed with the node, even if the node's
      // processes die without a clean end.
      { BinaryName: options.ociRuntimeProgram, Root: join(options.state, options.ociRuntime), SystemdCgroup: false },
    ],
    [`${cri}.registry`, { config_path: options.registryDirectory }],
    [
      `${cri}.cni`,
      {
        bin_dir: options.cniPluginDirectory,
        conf_dir: options.cniConfigDirectory,
        conf_template: options.cniTemplate,
      },
    ],
  ]);
}

type TomlValue = string | number | boolean | readonly string[];

function toml(sections: readonly (readonly [string, Readonly<Record<string, TomlValue>>])[]): string {
  return sections
    .map(([name, values]) => {
      const lines = Object.entries(values).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
      return `${name === "" ? "" : `[${name}]\n`}${lines.join("\n")}\n`;
    })
    .join("\n");
}
