import { type OciRuntime, plainOciRuntime } from "../settings/nodes/oci-runtimes.ts";
import { isStaticProgram } from "../images/static-program.ts";
import { findProgram } from "@kintsugi/daemon";

/** A program of the host that clusters, or this project's own tests, require or benefit from. */
export interface Requirement {
  /** Any of these suffices: names looked up on the path, or absolute paths. */
  readonly anyOf: readonly string[];
  /** Debian's and Ubuntu's package. */
  readonly package: string;
  readonly because: string;
  /**
   * True if only the program is copied into an image, so that it must not need shared libraries.
   */
  readonly static?: boolean;
  /** Only nodes with this OCI runtime need this requirement. */
  readonly ociRuntime?: OciRuntime;
  /** A cluster works without this requirement, except for the feature in `because`. */
  readonly isOptional?: true;
  /** Needed only for `kintsugi up --servers` with several servers. */
  readonly isForServers?: true;
  /** Needed only by this project's own tests: the group of tests in `because`. */
  readonly isForTests?: true;
  /** The service that Debian starts after the installation; clusters and tests start their own. */
  readonly service?: string;
}

/**
 * The list of all external programs that clusters, the demo and the tests use. install-packages.ts
 * installs them for `npm test`, `kintsugi demo` and `kintsugi doctor --install`.
 */
export const requirements: readonly Requirement[] = [
  {
    anyOf: ["nats-server"],
    package: "nats-server",
    because: "watch streams between the services",
    service: "nats-server",
  },
  { anyOf: ["containerd"], package: "containerd", because: "each node's container runtime", service: "containerd" },
  { anyOf: ["runc"], package: "runc", because: "starts the containers of containerd", ociRuntime: "runc" },
  {
    anyOf: ["crun"],
    package: "crun",
    because: "replaces runc, and starts containers in less processor time",
    ociRuntime: "crun",
  },
  {
    anyOf: ["/usr/lib/cni/bridge", "/opt/cni/bin/bridge"],
    package: "containernetworking-plugins",
    because: "pod networks",
  },
  { anyOf: ["ip"], package: "iproute2", because: "nodes are network namespaces" },
  { anyOf: ["nsenter"], package: "util-linux", because: "processes are started inside a node's namespace" },
  { anyOf: ["iptables"], package: "iptables", because: "host ports of pods, and traffic from pods to other networks" },
  { anyOf: ["nft"], package: "nftables", because: "routes addresses of Services to their pods", isOptional: true },
  {
    anyOf: ["conntrack"],
    package: "conntrack",
    because: "UDP clients of a Service leave a removed endpoint immediately instead of after 30 s to 2 min of silence",
    isOptional: true,
  },
  {
    anyOf: ["etcd"],
    package: "etcd-server",
    service: "etcd",
    because: "stores the cluster's objects with `up --servers 3`",
    isOptional: true,
    isForServers: true,
  },
  {
    anyOf: ["haproxy"],
    package: "haproxy",
    service: "haproxy",
    because: "load balancer of the API servers with `up --servers 3`, and server of Ingresses with `up --ingress`",
    isOptional: true,
    isForServers: true,
  },
  { anyOf: ["catatonit"], package: "catatonit", because: "program of the pause container", static: true },
  {
    anyOf: ["/bin/busybox", "/usr/bin/busybox"],
    package: "busybox-static",
    because: "program of the busybox image",
    static: true,
  },
  // chromium-browser and Google's builds are the same program; Ubuntu has it only as a snap.
  {
    anyOf: ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"],
    package: "chromium",
    because: "browser for tests of the pages",
    isForTests: true,
  },
  { anyOf: ["strace"], package: "strace", because: "simulates failing disks in tests", isForTests: true },
  { anyOf: ["openssl"], package: "openssl", because: "creates foreign certificates in tests", isForTests: true },
  { anyOf: ["ps"], package: "procps", because: "finds leftover processes in tests", isForTests: true },
  {
    anyOf: ["docker-registry"],
    package: "docker-registry",
    because: "registry of images in tests",
    service: "docker-registry",
    isForTests: true,
  },
  {
    anyOf: ["promtool"],
    package: "prometheus",
    because: "checks alert rules in tests",
    service: "prometheus",
    isForTests: true,
  },
];

/** The part of the list that clusters use. */
export const clusterRequirements = requirements.filter(({ isForTests }) => !isForTests);

export interface HostFindings {
  readonly isRoot: boolean;
  readonly isLinux: boolean;
  readonly missing: readonly Requirement[];
  /** Requirements that nodes use if these are met, but do not need. */
  readonly optional: readonly Requirement[];
  /** True if packages can be installed. */
  readonly canInstall: boolean;
}

export interface HostView {
  readonly platform: string;
  readonly uid: number | undefined;
  readonly searchPath: string;
}

/**
 * Compares the host with the requirements of nodes with this OCI runtime. Does not change the host.
 */
export function inspectHost(host: HostView, ociRuntime: OciRuntime = plainOciRuntime): HostFindings {
  const lacking = lackingOf(clusterRequirements, host);
  return {
    isRoot: host.uid === 0,
    isLinux: host.platform === "linux",
    ...divide(lacking, ociRuntime),
    canInstall: canInstall(host),
  };
}

/**
 * Divides the unmet requirements into requirements of nodes with this OCI runtime, and other
 * requirements.
 */
export function divide(
  lacking: readonly Requirement[],
  ociRuntime: OciRuntime,
): Pick<HostFindings, "missing" | "optional"> {
  const isNeeded = (requirement: Requirement) =>
    (requirement.ociRuntime ?? ociRuntime) === ociRuntime && !requirement.isOptional;
  return {
    missing: lacking.filter(isNeeded),
    optional: lacking.filter((requirement) => !isNeeded(requirement)),
  };
}

/** Returns the requirements that the host does not meet. Does not change the host. */
export function lackingOf(wanted: readonly Requirement[], host: HostView): Requirement[] {
  return wanted.filter((requirement) => !isMet(requirement, host.searchPath));
}

/** Reports whether packages can be installed on this host, as root and by apt. */
export function canInstall(host: HostView): boolean {
  return host.platform === "linux" && host.uid === 0 && findProgram("apt-get", host.searchPath) !== undefined;
}

function isMet(requirement: Requirement, searchPath: string): boolean {
  return requirement.anyOf.some((name) => {
    const program = findProgram(name, searchPath);
    return program !== undefined && (!requirement.static || isStaticProgram(program));
  });
}

/** The commands for a user whose system, or whose permissions, do not allow real nodes. */
const withoutRoot =
  "These commands need neither Linux nor root: `kintsugi simulate`, `kintsugi test-server` and `kintsugi playground`.";

/** Returns the sentence about an unsuitable host; undefined if all requirements are met. */
export function explainFindings(findings: HostFindings): string | undefined {
  if (!findings.isLinux) return `Nodes with real containers need Linux. ${withoutRoot}`;
  const packages = findings.missing.map((requirement) => requirement.package);
  if (!findings.isRoot) {
    const also = packages.length > 0 ? ` It also needs these packages: ${packages.join(" ")}.` : "";
    return `Kintsugi creates network namespaces and containers, so it must run as root: run the command with sudo.${also} ${withoutRoot}`;
  }
  if (packages.length === 0) return undefined;
  return `This host lacks ${packages.length === 1 ? "a package" : "packages"}: install with \`apt-get install ${packages.join(" ")}\`.`;
}
