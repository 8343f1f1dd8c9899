import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { findProgram, writeWhole } from "@kintsugi/daemon";
import { InvalidSpec } from "../settings/invalid-spec.ts";
import type { OciRuntime } from "../settings/nodes/oci-runtimes.ts";

/**
 * Returns the program that containerd has to run for the runtime; a
 * wrapper may be written to `directory`.
 * @throws InvalidSpec when the host does not have the runtime.
 */
export async function prepareOciRuntime(runtime: OciRuntime, directory: string): Promise<string> {
  if (runtime === "runc") return "runc";
  const crun = findProgram(runtime, "");
  if (crun === undefined)
    throw new InvalidSpec(`this host lacks ${runtime}: install with \`apt-get install ${runtime}\``);
  if (!(await hasMixedCgroups())) return crun;
  const file = join(directory, "crun-on-cgroup-v1");
  await writeWhole(file, crunOnCgroupV1(crun, findProgram("busybox", "") ?? "busybox"), 0o700);
  return file;
}

const unified = "/sys/fs/cgroup/unified";

/**
 * Reports whether cgroup v2 has controllers in addition to v1, such as hugetlb when it is not
 * mounted: runc ignores them, crun refuses to start.
 */
async function hasMixedCgroups(): Promise<boolean> {
  return (await readFile(`${unified}/cgroup.controllers`, "utf8").catch(() => "")).trim() !== "";
}

/**
 * Wraps crun for hosts with all used controllers in cgroup v1, so that crun does not find v2 where
 * it looks for cgroups. The mounts of crun itself work as before, because all other mounts are the
 * host's mounts or shared with the host.
 */
function crunOnCgroupV1(crun: string, busybox: string): string {
  return `#!${busybox} sh
case " $* " in *" create "* | *" exec "* | *" update "*) ;; *) exec ${crun} "$@" ;; esac
exec ${busybox} unshare -m --propagation shared ${busybox} sh -c '
${busybox} mount --make-rprivate /sys/fs/cgroup && ${busybox} mount -n -t tmpfs kintsugi ${unified} && exec ${crun} "$@"' crun "$@"
`;
}
