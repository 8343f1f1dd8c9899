import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram } from "@kintsugi/daemon";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundleOptions } from "../../tools/bundle-options.mjs";
import { sayWhyNot } from "../support/host-abilities.ts";
import { runProgram } from "../support/run-program.ts";
import type { MachineLine } from "./out-of-memory-machine.ts";

// A whole machine out of memory, which the tests' own machine would not survive: a Linux kernel
// that runs as a process of this host (Debian's user-mode-linux), with read access to the host's
// files, little memory, and a kubelet on it.

const kernel = findProgram("linux.uml", process.env["PATH"] ?? "");
/**
 * user-mode-linux 6.1 has no room for the processor's registers, and loses its first process:
 * "ptrace set fp regs failed, errno = 14".
 */
const hasTiles = /\bamx_tile\b/.test(readFileSync("/proc/cpuinfo", "utf8"));
const lacking =
  process.getuid?.() !== 0
    ? "it needs root"
    : kernel === undefined
      ? "there is no linux.uml: apt-get install user-mode-linux"
      : hasTiles
        ? "user-mode-linux cannot save the registers of a processor with AMX"
        : undefined;

/**
 * Less than 256, because the host maps a program's memory page by page, and a program may have at
 * most 65530 mappings.
 */
const memoryMebibytes = 224;

describe.skipIf(sayWhyNot("a machine out of memory", lacking))("a machine of its own", () => {
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "kintsugi-machine-"));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  test("that is out of memory reports its kernel's victim, and neither a cgroup's victim nor a forged record", async () => {
    const program = join(directory, "machine.mjs");
    await build({
      ...bundleOptions,
      entryPoints: [join(import.meta.dirname, "out-of-memory-machine.ts")],
      outfile: program,
    });
    const init = join(directory, "init");
    // The host's files are read-only there; mounts and the power-off are that machine's own.
    const script = [
      "#!/bin/sh",
      "mount -t proc proc /proc",
      "mount -t sysfs sysfs /sys",
      "mount -t cgroup2 cgroup2 /sys/fs/cgroup",
      "echo +memory > /sys/fs/cgroup/cgroup.subtree_control",
      "mount -t tmpfs run /run",
      `${process.execPath} ${program}`,
      "echo o > /proc/sysrq-trigger",
      "sleep 60",
    ];
    await writeFile(init, script.join("\n"), { mode: 0o755 });
    const args = [
      `mem=${memoryMebibytes}M`,
      "rootfstype=hostfs",
      "rootflags=/",
      "ro",
      `init=${init}`,
      "con=null",
      "con0=fd:0,fd:1",
      `uml_dir=${directory}/`,
      "umid=machine",
    ];
    const { stdout } = await runProgram(kernel ?? "", args, { timeoutMs: 180_000, env: { TMPDIR: directory } });
    const lines = stdout
      .split("\n")
      .flatMap((line) => /machine: (\{.*\})/.exec(line)?.[1] ?? [])
      .map((line) => JSON.parse(line) as MachineLine);
    const victims = lines.flatMap((line) => (line.kind === "victim" ? [line] : []));
    const told = lines.flatMap((line) => (line.kind === "events" ? line.events : []));
    if (victims.length < 3) throw new Error(`the machine ended too early: ${stdout}`);
    expect(victims.map(({ why }) => why)).toEqual(["forged", "cgroup", "machine"]);
    const pidOf = (why: string) => victims.find((victim) => victim.why === why)?.pid;
    // The kernel itself has logged that it killed both, and the reason.
    expect(stdout).toContain(`Memory cgroup out of memory: Killed process ${pidOf("cgroup")} (tail)`);
    expect(stdout).toContain(`Out of memory: Killed process ${pidOf("machine")} (tail)`);
    expect(told.filter(({ reason }) => reason === "SystemOOM")).toEqual([
      {
        object: "Node/node-1",
        type: "Warning",
        reason: "SystemOOM",
        message: `System OOM encountered, victim process: tail, pid: ${pidOf("machine")}`,
      },
    ]);
  });
});
