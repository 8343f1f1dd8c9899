import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";

const run = promisify(execFile);
const deploy = join(import.meta.dirname, "../../deploy");
const units = readdirSync(join(deploy, "systemd"));
const textOf = (unit: string) => readFileSync(join(deploy, "systemd", unit), "utf8");
const programsOf = (unit: string) =>
  [...textOf(unit).matchAll(/^Exec\w+=[-@:+!]*(\S+)/gm)].map(([, program = ""]) => program);
/** Services that have to run as root are protected only by their code. */
const asRoot = ["kintsugi-containerd.service", "kintsugi-kubelet.service", "kintsugi-proxy.service"];
const exposureMax = 2;
/** A host without systemd can still read the files. */
const analyzer = ["/usr/bin/systemd-analyze", "/bin/systemd-analyze"].find((file) => existsSync(file));

describe("the units", () => {
  const root = mkdtempSync(join(tmpdir(), "kintsugi-units-"));
  afterAll(() => rmSync(root, { recursive: true }));

  test("consist of one unit for each service", () => {
    expect(units.sort()).toEqual([
      "kintsugi-api-server.service",
      "kintsugi-containerd.service",
      "kintsugi-controller-manager.service",
      "kintsugi-etcd.service",
      "kintsugi-kubelet.service",
      "kintsugi-nats.service",
      "kintsugi-proxy.service",
      "kintsugi-scheduler.service",
    ]);
  });

  test("restart after every failure, and do not stop containers", () => {
    for (const unit of units) expect(textOf(unit)).toMatch(/^Restart=always$/m);
    for (const unit of asRoot) expect(textOf(unit)).toMatch(/^KillMode=process$/m);
    for (const unit of units.filter((name) => !asRoot.includes(name))) expect(textOf(unit)).toMatch(/^User=kintsugi$/m);
  });

  test("remove the files of pods' networks that a loss of power has emptied", async () => {
    const [, program = "", words = ""] =
      /^ExecStartPre=-(\S+find) (.*)$/m.exec(textOf("kintsugi-containerd.service")) ?? [];
    const places = words.split(" ").filter((word) => word.startsWith("/"));
    const files = places.flatMap((place) => ["empty", "whole"].map((name) => join(root, place, name)));
    for (const file of files) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, file.endsWith("whole") ? "{}" : "");
    }
    await run(
      program,
      words.split(" ").map((word) => (word.startsWith("/") ? join(root, word) : word)),
    );
    expect(places).toHaveLength(2);
    expect(files.filter((file) => existsSync(file))).toEqual(files.filter((file) => file.endsWith("whole")));
  });

  test("are valid for systemd, and no service has more permissions than it needs", async () => {
    if (analyzer === undefined) return;
    for (const program of units.flatMap(programsOf)) {
      mkdirSync(join(root, dirname(program)), { recursive: true });
      writeFileSync(join(root, program), "", { mode: 0o755 });
    }
    cpSync("/lib/systemd/system", join(root, "lib/systemd/system"), { recursive: true, verbatimSymlinks: true });
    cpSync(join(deploy, "systemd"), join(root, "etc/systemd/system"), { recursive: true });
    for (const unit of units) {
      const { stdout, stderr } = await run(analyzer, [`--root=${root}`, "verify", `/etc/systemd/system/${unit}`]);
      expect(`${stdout}${stderr}`.split("\n").filter((line) => line.includes("kintsugi"))).toEqual([]);
    }
    for (const unit of units.filter((name) => !asRoot.includes(name))) {
      const { stdout } = await run(analyzer, ["security", "--offline=true", join(root, "etc/systemd/system", unit)]);
      const [, exposure = "10"] = /Overall exposure level for \S+ ([\d.]+)/.exec(stdout) ?? [];
      expect([unit, Number(exposure) <= exposureMax]).toEqual([unit, true]);
    }
  });
});

test("the provisioning scripts are valid for bash", async () => {
  const scripts = readdirSync(join(deploy, "provision")).map((script) => join(deploy, "provision", script));
  for (const script of scripts) await run("bash", ["-n", script]);
  expect(scripts).toHaveLength(4);
});

describe("a node that is provisioned again", () => {
  const root = mkdtempSync(join(tmpdir(), "kintsugi-provision-"));
  afterAll(() => rmSync(root, { recursive: true }));
  const config = join(root, "containerd.toml");
  /** The script's calls of systemd, which reports that containerd runs, or that it does not. */
  const provision = async (isActive: boolean) => {
    const script = `
      eval "$(sed -n '/^start_containerd()/,/^}/p' ${join(deploy, "provision/install.sh")})"
      systemctl() { [ "$1" != is-active ] || return ${isActive ? 0 : 1}; echo "$1"; }
      set -euo pipefail
      start_containerd ${join(root, "state/started")} ${config}`;
    return (await run("bash", ["-c", script])).stdout.split("\n").filter((line) => line !== "");
  };

  test("restarts containerd only for another program or configuration, or if it is not running", async () => {
    writeFileSync(config, "version = 2");
    expect(await provision(true)).toEqual(["enable", "restart"]);
    expect(await provision(true)).toEqual(["enable"]);
    expect(await provision(false)).toEqual(["enable", "restart"]);
    writeFileSync(config, "version = 3");
    expect(await provision(true)).toEqual(["enable", "restart"]);
    expect(await provision(true)).toEqual(["enable"]);
  });
});
