import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { writeWhole } from "../cluster/write-whole.ts";
import { InvalidSpec } from "../cluster/invalid-spec.ts";
import type { OciRuntime } from "../cluster/oci-runtimes.ts";
import { findProgram } from "../host/find-program.ts";

/**
 * What containerd has to run for it, wherever that is on this host; in `directory` something may be
 * put before it.
 * @throws InvalidSpec when the host has it not.
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
 * Whether cgroup v2 has controllers beside v1, such as hugetlb that nobody mounted: runc looks past
 * them, crun refuses to start.
 */
async function hasMixedCgroups(): Promise<boolean> {
  return (await readFile(`${unified}/cgroup.controllers`, "utf8").catch(() => "")).trim() !== "";
}

/**
 * crun with all its controllers in cgroup v1: it is shown no v2 where it looks for cgroups. What it
 * mounts and is told to mount goes the same ways as before, for all other mounts are the host's or
 * shared with them.
 */
function crunOnCgroupV1(crun: string, busybox: string): string {
  return `#!${busybox} sh
case " $* " in *" create "* | *" exec "* | *" update "*) ;; *) exec ${crun} "$@" ;; esac
exec ${busybox} unshare -m --propagation shared ${busybox} sh -c '
${busybox} mount --make-rprivate /sys/fs/cgroup && ${busybox} mount -n -t tmpfs kintsugi ${unified} && exec ${crun} "$@"' crun "$@"
`;
}
