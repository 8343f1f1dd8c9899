// Runs the tests that need a machine with cgroup v2: test/machine/cgroup-v2.ts, in one machine that
// qemu emulates, from the box of test/vagrant. `npm run test:machine`; needs root and the Debian
// packages qemu-system-x86 qemu-utils debootstrap e2fsprogs openssh-client. It takes some ten
// minutes on two cores, in addition to the time to build the box for the first time.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { readFlags, readOrExplain } from "@kintsugi/daemon";
import { build } from "esbuild";
import { bundleOptions } from "../../tools/bundle-options.mjs";
import { repository } from "../support/lab-cluster.ts";
import { machinePackages, needPrograms } from "../support/needed-programs.ts";
import { mustRun } from "../support/run-program.ts";
import { whenAndWhere } from "../support/when-and-where.ts";
import { EmulatedMachine } from "./emulated-machine.ts";

const box = process.env["KINTSUGI_BOX_DIRECTORY"] ?? "/var/tmp/kintsugi-vagrant-box";
const runMaxMs = 2_700_000;
const testsMaxMs = 2_400_000;

/**
 * The program as one file, on a disk, because an emulated machine would take minutes to load its
 * sources.
 */
async function makeDisk(directory: string): Promise<string> {
  const [content, disk] = [join(directory, "content"), join(directory, "content.raw")];
  mkdirSync(content);
  await build({
    entryPoints: [join(import.meta.dirname, "cgroup-v2.ts")],
    outfile: join(content, "cgroup-v2.mjs"),
    ...bundleOptions,
    logLevel: "warning",
  });
  await mustRun("truncate", ["-s", "128M", disk]);
  await mustRun("mkfs.ext4", ["-q", "-F", "-d", content, disk]);
  return disk;
}

const facts = `
cat /sys/fs/cgroup/cgroup.controllers
uname -r
containerd --version | cut -d" " -f3
runc --version | head -n 1 | cut -d" " -f3`;

async function testIn(machine: EmulatedMachine): Promise<void> {
  const told = await machine.run(facts, 60_000);
  if (told.code !== 0) throw new Error(`the machine does not say what it has: ${told.stderr}`);
  const startedMs = performance.now();
  const script = "mkdir -p /srv/tests; mount /dev/vdb /srv/tests; node --test-reporter=tap /srv/tests/cgroup-v2.mjs";
  const { code, stdout, stderr } = await machine.run(script, testsMaxMs);
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  console.log(stdout, stderr);
  const rows = [...stdout.matchAll(/^(ok|not ok) \d+ - (.*)\n\s+---\n\s+duration_ms: ([\d.]+)/gm)].map(
    ([, verdict, name, durationMs]) =>
      `| ${name} | ${verdict === "ok" ? "passed" : "failed"} | ${Math.round(Number(durationMs) / 1000)} |`,
  );
  publish({ told: told.stdout.trim().split("\n"), rows, seconds });
  if (code !== 0 || rows.length === 0) process.exitCode = 1;
}

function publish({ told, rows, seconds }: { told: readonly string[]; rows: readonly string[]; seconds: number }): void {
  const [controllers, kernel, containerd, runc] = told;
  const text = `# cgroup v2: the last run

\`npm run test:machine\` writes this page. It runs \`test/machine/cgroup-v2.ts\`, a real kubelet on a real containerd, in a Debian 12
machine that qemu emulates, because hosts of the other tests may have cgroup v1.

Last run: ${whenAndWhere()}, ${seconds} s, load average ${(loadavg()[0] ?? 0).toFixed(1)} at its end. In the machine: Linux ${kernel}, containerd ${containerd}, runc ${runc}, controllers ${controllers}.

| test | verdict | seconds |
|---|---|---|
${rows.join("\n")}
`;
  writeFileSync(join(repository, "docs/cgroup-v2.md"), text);
}

const program = {
  name: "npm run test:machine --",
  description: "Tests what needs cgroup v2, in a machine that qemu emulates.",
};
readOrExplain("test:machine", () => readFlags(program, {}, process.argv.slice(2)));
needPrograms("test:machine", { setpriv: "util-linux", ...machinePackages });
await mustRun(join(repository, "test/vagrant/build-box.sh"), [box], { timeoutMs: 3_600_000 });
const directory = mkdtempSync(join(tmpdir(), "kintsugi-machine-"));
process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
const disk = await makeDisk(directory);
await using machine = await EmulatedMachine.boot({ directory, box, disk, memoryMebibytes: 1536, runMaxMs });
await testIn(machine);
