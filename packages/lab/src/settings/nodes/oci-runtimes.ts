import { InvalidSpec } from "../invalid-spec.ts";

/** The programs that can create containers for containerd (the OCI runtime specification). */
export const ociRuntimes = ["runc", "crun"] as const;

export type OciRuntime = (typeof ociRuntimes)[number];

/**
 * The runtime of nodes without a choice: nodes of compose, joined nodes, and nodes of clusters that
 * were created before the choice existed (docs/decisions/0008).
 */
export const plainOciRuntime: OciRuntime = "runc";

/** The programs' output for their version option; undefined if they are missing. */
export interface RuntimeVersions {
  crun: string | undefined;
  containerd: string | undefined;
}

/**
 * The version from which on crun accepts containers of every 1.x of the OCI specification; earlier
 * versions accept only containers of version 1.0, which containerd 1.6 writes.
 */
const crunForAll: Version = [1, 14, 3];
const containerdOfNewerSpec: Version = [1, 7, 0];

/**
 * Chooses the runtime for a new cluster: the requested runtime, or else crun if it is installed and
 * supports this containerd.
 */
export function chooseOciRuntime(asked: OciRuntime | undefined, found: RuntimeVersions): OciRuntime {
  if (asked !== undefined) return asked;
  const crun = versionIn(found.crun);
  if (crun === undefined) return plainOciRuntime;
  if (isAtLeast(crun, crunForAll)) return "crun";
  const containerd = versionIn(found.containerd);
  return containerd === undefined || isAtLeast(containerd, containerdOfNewerSpec) ? plainOciRuntime : "crun";
}

/** Returns the runtime of the nodes of a cluster on this host. */
export function ociRuntimeOf(spec: { ociRuntime?: OciRuntime }): OciRuntime {
  return spec.ociRuntime ?? plainOciRuntime;
}

/** @throws InvalidSpec with the available runtimes. */
export function ociRuntimeNamed(name: string): OciRuntime {
  const known = ociRuntimes.find((runtime) => runtime === name);
  if (known === undefined) throw new InvalidSpec(`"${name}" is not one of ${ociRuntimes.join(", ")}`);
  return known;
}

type Version = readonly [major: number, minor: number, patch: number];

function versionIn(said: string | undefined): Version | undefined {
  const [, major, minor, patch = 0] = /\bv?(\d+)\.(\d+)(?:\.(\d+))?/.exec(said ?? "") ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor), Number(patch)];
}

function isAtLeast(version: Version, least: Version): boolean {
  const [major, minor, patch] = version.map((part, i) => part - (least[i] ?? 0)) as [number, number, number];
  return (major || minor || patch) >= 0;
}
