import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ensureCgroup } from "./cgroups.ts";
import type { Component } from "../cluster/component.ts";
import { identifyProcess, isAlive, type ProcessIdentity } from "./process-identity.ts";

/**
 * Joins the cgroups named before "--", then executes the command after "--" with the same pid. The
 * umask is systemd's, because with a user's narrower umask containerd creates root file systems
 * that only root of a container can enter.
 */
const joinAndExec = 'umask 022; while [ "$1" != -- ]; do echo $$ > "$1" || exit 125; shift; done; shift; exec "$@"';

/**
 * Sets the host name in a UTS namespace of its own, then executes the command that follows the
 * name.
 */
const nameAndExec = 'echo "$1" > /proc/sys/kernel/hostname || exit 125; shift; exec "$@"';

/**
 * Starts a component detached from this process, in its cgroup and namespace, with its output
 * appended to its log, and records it in a pid file. `onExit` is called when it ends while this
 * process runs.
 */
export async function spawnComponent(
  component: Component,
  pidDirectory: string,
  onExit: () => void,
): Promise<ProcessIdentity> {
  const joins = await ensureCgroup(component.cgroup);
  await mkdir(dirname(component.logFile), { recursive: true, mode: 0o700 });
  await mkdir(pidDirectory, { recursive: true, mode: 0o700 });
  const { hostname, namespacePath } = component;
  const inside = [
    ...(namespacePath === undefined ? [] : ["nsenter", `--net=${namespacePath}`, "--"]),
    ...(hostname === undefined ? [] : ["unshare", "--uts", "--", "sh", "-c", nameAndExec, "sh", hostname]),
  ];
  const output = openSync(component.logFile, "a", 0o600);
  try {
    const child = spawn("sh", ["-c", joinAndExec, "sh", ...joins, "--", ...inside, ...component.command], {
      detached: true,
      stdio: ["ignore", output, output],
      cwd: "/",
      env: { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", ...component.environment },
    });
    child.once("exit", onExit);
    child.unref();
    if (child.pid === undefined) throw new Error(`${component.id} cannot be started: sh is missing`);
    const identity = await identifyProcess(child.pid);
    if (!identity) throw new Error(`${component.id} exited immediately; see ${component.logFile}`);
    await writePidFile(pidDirectory, component.id, identity);
    return identity;
  } finally {
    closeSync(output);
  }
}

/** The running components that pid files name; pid files of ended components are removed. */
export async function findRunning(pidDirectory: string): Promise<Map<string, ProcessIdentity>> {
  const running = new Map<string, ProcessIdentity>();
  for (const file of await readdir(pidDirectory).catch(() => [])) {
    if (!file.endsWith(".pid")) continue;
    const identity = await readPidFile(join(pidDirectory, file));
    if (identity && (await isAlive(identity))) running.set(file.slice(0, -".pid".length), identity);
    else await rm(join(pidDirectory, file), { force: true });
  }
  return running;
}

export async function readPidFile(file: string): Promise<ProcessIdentity | undefined> {
  try {
    const { pid, startTime } = JSON.parse(await readFile(file, "utf8")) as Partial<ProcessIdentity>;
    return typeof pid === "number" && typeof startTime === "string" ? { pid, startTime } : undefined;
  } catch {
    return undefined;
  }
}

export async function writePidFile(pidDirectory: string, id: string, identity: ProcessIdentity): Promise<void> {
  const file = join(pidDirectory, `${id}.pid`);
  await writeFile(`${file}.new`, JSON.stringify(identity), { mode: 0o600 });
  await rename(`${file}.new`, file);
}
