import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findLeftovers, observeNetwork } from "@kintsugi/lab";
import { afterAll, describe, expect, test } from "vitest";
import { sayWhyNot, whyNoClusters } from "../support/host-abilities.ts";
import { kintsugi, type LabCluster, startLabCluster } from "../support/lab-cluster.ts";
import { eventually, runProgram } from "../support/run-program.ts";

const directory = mkdtempSync(join(tmpdir(), "kintsugi-lab-"));
afterAll(() => rmSync(directory, { recursive: true }));

/** Lists everything that a cluster could leave behind on the host. */
async function leftovers(name: string): Promise<string[]> {
  const network = await observeNetwork();
  const namespaces = [...network.namespaces].filter((namespace) => namespace.startsWith(`kintsugi-${name}`));
  const processes = readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(`/kintsugi/${name}/`);
      } catch {
        return false;
      }
    });
  return [...(await findLeftovers(name)), ...namespaces, ...processes];
}

/** Returns the share of a cgroup in the processors, relative to its siblings. */
function cpuWeightOf(group: string): number {
  const files = [`/sys/fs/cgroup/cpu/kintsugi/${group}/cpu.shares`, `/sys/fs/cgroup/kintsugi/${group}/cpu.weight`];
  return Number(readFileSync(files.find((file) => existsSync(file)) ?? "", "utf8"));
}

const kubeconfigOf = (name: string) => join(directory, `${name}.kubeconfig`);
const up = (name: string, ...args: string[]) =>
  kintsugi(["up", "--name", name, "--kubeconfig", kubeconfigOf(name), "--profile", "fast", "--no-csi", ...args]);
const down = (name: string) => kintsugi(["down", "--name", name, "--kubeconfig", kubeconfigOf(name)]);

describe.skipIf(sayWhyNot("clusters on this host", whyNoClusters()))("a cluster on this host", () => {
  test("starts twice without harm, has its own context, and is removed completely", async () => {
    const name = `twice-${process.pid}`;
    expect((await up(name, "--nodes", "1")).code).toBe(0);
    const again = await up(name);
    expect(again.code).toBe(0);
    expect(again.stderr).toContain("exists");
    expect(readFileSync(kubeconfigOf(name), "utf8")).toContain(`current-context: kintsugi-${name}`);
    const status = await kintsugi(["status", "--name", name]);
    expect(status.stdout).toMatch(/node-1\s+on\s+up\s+running\s+Ready/);
    expect((await down(name)).code).toBe(0);
    expect(await leftovers(name)).toEqual([]);
    expect(readFileSync(kubeconfigOf(name), "utf8")).not.toContain(name);
    expect((await down(name)).code).toBe(0);
  });

  test("runs next to another cluster that was started at the same moment", async () => {
    const starting = ["first", "second"].map((name) => startLabCluster({ name, nodes: 1 }));
    try {
      const [first, second] = (await Promise.all(starting)) as [LabCluster, LabCluster];
      for (const cluster of [first, second]) {
        const status = await cluster.kintsugi("status");
        expect(status.stdout).toMatch(/API server .*: ready/);
        // Busy pods take little processor time from the programs that would run on another machine
        // in a real cluster.
        expect(cpuWeightOf(`${cluster.name}/control`)).toBe(10 * cpuWeightOf(`${cluster.name}/node-1`));
      }
      await first.kintsugi("node", "kill", "node-1");
      expect((await second.kintsugi("node", "list")).stdout).toMatch(/node-1\s+on\s+up\s+running\s+Ready/);
    } finally {
      for (const started of await Promise.allSettled(starting))
        if (started.status === "fulfilled") await started.value[Symbol.asyncDispose]();
    }
  });

  test("continues when its supervisor is killed, is adopted by the next supervisor, and stops without one", async () => {
    const name = `orphan-${process.pid}`;
    expect((await up(name, "--nodes", "1")).code).toBe(0);
    const pids = () => {
      const found: Record<string, number> = {};
      for (const file of readdirSync(`/run/kintsugi/${name}/pids`))
        found[file] = (JSON.parse(readFileSync(`/run/kintsugi/${name}/pids/${file}`, "utf8")) as { pid: number }).pid;
      return found;
    };
    const supervisor = () =>
      (JSON.parse(readFileSync(`/run/kintsugi/${name}/supervisor.pid`, "utf8")) as { pid: number }).pid;
    const before = pids();
    // The command of each process can be read, as deploy/README.md describes.
    const shown = await runProgram("sh", ["-c", `ps -fp $(jq -r .pid /run/kintsugi/${name}/pids/*.pid | paste -sd,)`]);
    const lacksJq = shown.stderr.includes("jq: not found");
    expect(lacksJq || shown.stdout.includes("--data-dir=")).toBe(true);
    const killed = supervisor();
    process.kill(killed, "SIGKILL");
    await eventually("the supervisor is gone", async () => !existsSync(`/proc/${killed}`));
    const acting = await kintsugi(["node", "kill", "node-1", "--name", name]);
    expect(acting.stderr).toContain(`\`kintsugi start --name ${name}\` starts it again`);
    expect((await kintsugi(["start", "--name", name])).code).toBe(0);
    expect(pids()).toEqual(before);
    process.kill(supervisor(), "SIGKILL");
    expect((await down(name)).code).toBe(0);
    expect(await leftovers(name)).toEqual([]);
  });

  test("that was started only partially is cleaned up", async () => {
    const name = `half-${process.pid}`;
    const rising = up(name, "--nodes", "2");
    await eventually("its first process", async () => existsSync(`/run/kintsugi/${name}/supervisor.pid`), 20_000);
    expect((await down(name)).code).toBe(0);
    const risen = await rising;
    expect([risen.code, risen.stderr]).toEqual([1, expect.stringContaining("was removed while it was started")]);
    expect((await down(name)).code).toBe(0);
    expect(await leftovers(name)).toEqual([]);
  });

  test("is rejected with a sentence that states a remedy", async () => {
    const name = `refused-${process.pid}`;
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as { port: number };
    expect((await up(name, "--api-port", String(port))).stderr).toContain(
      `ERROR: port ${port} is in use: choose another port with --api-port`,
    );
    server.close();
    const foreign = join(directory, "foreign");
    mkdirSync(join(foreign, name), { recursive: true });
    writeFileSync(join(foreign, name, "precious"), "data");
    expect((await up(name, "--data-dir", foreign)).stderr).toMatch(
      /ERROR: .* is not empty and has no cluster of Kintsugi: choose another --data-dir or --name/,
    );
    expect(readFileSync(join(foreign, name, "precious"), "utf8")).toBe("data");
    const nowhere = await up(name, "--data-dir", "/proc/data");
    expect(nowhere.stderr).toContain("ERROR: nothing can be written in /proc (ENOENT): choose another --data-dir");
    const nobodys = await kintsugi(["up", "--name", name, "--kubeconfig", "/proc/kube/config"]);
    expect(nobodys.stderr).toContain("ERROR: nothing can be written in /proc (ENOENT): choose another --kubeconfig");
    const device = await kintsugi(["up", "--name", name, "--kubeconfig", "/dev/full"]);
    expect(device.stderr).toContain("ERROR: /dev/full is not a file that can be replaced: name another file with");
    const file = join(foreign, name, "precious");
    expect((await up(name, "--data-dir", file)).stderr).toContain(
      `ERROR: ${file} is not a directory: choose another --data-dir`,
    );
    expect((await up("Not_A_Name")).stderr).toContain("cannot be a cluster's name");
    expect((await up(name, "--nodes", "0")).stderr).toContain("is not a whole number from 1 to 200.");
    const profile = await up(name, "--profile", "slow");
    expect(profile.stderr).toContain("Allowed choices are kubernetes, default, fast.");
    const runtime = await up(name, "--oci-runtime", "kata");
    expect(runtime.stderr).toContain("Allowed choices are runc, crun.");
    expect((await kintsugi(["status", "--name", name])).stderr).toContain(`there is no cluster "${name}"`);
    expect((await kintsugi(["node", "kill", "node-9", "--name", name])).code).toBe(1);
    expect(await leftovers(name)).toEqual([]);
  });
});
