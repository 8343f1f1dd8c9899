import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findLeftovers } from "@kintsugi/lab";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sayWhyNot, whyNoKubectlCluster } from "../../support/host-abilities.ts";
import { type LabCluster, startLabCluster } from "../../support/lab-cluster.ts";
import { eventually, runProgram } from "../../support/run-program.ts";

// Tests traffic from pods beyond their host, to another network namespace with a cable to this host
// and without a route back to pods: it can answer only to the host's own address.

const lacking = whyNoKubectlCluster();

/** TEST-NET-2, whose addresses are never assigned. */
const [hostsEnd, outside] = ["198.51.100.1", "198.51.100.2"];
const link = `kto-${process.pid}`;

describe.skipIf(sayWhyNot("the way out of this host", lacking))("beyond its host", () => {
  const directory = mkdtempSync(join(tmpdir(), "kintsugi-egress-"));
  let server: ChildProcess;
  let cluster: LabCluster;
  const run = async (program: string, ...args: string[]) => {
    const { code, stderr } = await runProgram(program, args);
    if (code !== 0) throw new Error(`${program} ${args.join(" ")}: ${stderr}`);
  };
  const fetchFrom = (lab: LabCluster, pod: string) =>
    lab.tryKubectl(["exec", pod, "--", "sh", "-c", `printf 'GET / HTTP/1.0\\r\\n\\r\\n' | nc -w 3 ${outside} 8000`]);
  const startPod = async (lab: LabCluster) => {
    await lab.kubectl("run", "client", "--image=busybox:1", "--", "sleep", "3600");
    await lab.kubectl("wait", "pod/client", "--for=condition=Ready", "--timeout=60s");
  };

  beforeAll(async () => {
    writeFileSync(join(directory, "index.html"), "from outside\n");
    // The namespace lives as long as the server in it, and the cable as long as the namespace.
    const serve = ["busybox", "httpd", "-f", "-p", "8000", "-h", directory];
    server = spawn("setpriv", ["--pdeathsig", "KILL", "unshare", "--net", ...serve], { stdio: "ignore" });
    await once(server, "spawn");
    const own = await readFile("/proc/self/net/dev", "utf8");
    await eventually("the server has a network of its own", async () => {
      const its = await readFile(`/proc/${server.pid}/net/dev`, "utf8");
      return its !== own && its.split("\n").length <= 4;
    });
    await run("ip", "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", String(server.pid));
    await run("ip", "addr", "add", `${hostsEnd}/30`, "dev", link);
    await run("ip", "link", "set", link, "up");
    for (const command of [`addr add ${outside}/30 dev eth0`, "link set eth0 up"])
      await run("nsenter", "--target", String(server.pid), "--net", "ip", ...command.split(" "));
    cluster = await startLabCluster({ name: "egress", nodes: 1 });
    await startPod(cluster);
  });
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
    if (server !== undefined && server.exitCode === null) {
      server.kill("SIGKILL");
      await once(server, "exit");
    }
    rmSync(directory, { recursive: true });
  });

  test("a pod reaches every address that the host reaches, with the host's address", async () => {
    const answer = await eventually("the way is open", async () => {
      const { stdout } = await fetchFrom(cluster, "client");
      return stdout === "" ? undefined : stdout;
    });
    expect(answer).toContain("from outside");
  });

  test("without egress no address is open and no rule is changed; the rules are removed with their cluster", async () => {
    const closed = await startLabCluster({ name: "no-egress", nodes: 1, args: ["--no-egress"] });
    try {
      await startPod(closed);
      expect((await fetchFrom(closed, "client")).stdout).not.toContain("from outside");
      const { stdout } = await runProgram("iptables-save", []);
      expect(stdout).toContain(`kintsugi:${cluster.name}`);
      expect(stdout).not.toContain(`kintsugi:${closed.name}`);
      expect((await closed.kintsugi("up", "--kubeconfig", closed.kubeconfig)).code).toBe(0);
      expect((await cluster.kintsugi("up", "--no-egress", "--kubeconfig", cluster.kubeconfig)).stderr).toContain(
        "exists with egress from this host",
      );
    } finally {
      await closed[Symbol.asyncDispose]();
    }
    await cluster.kintsugi("down", "--kubeconfig", cluster.kubeconfig);
    expect((await runProgram("iptables-save", [])).stdout).not.toContain(`kintsugi:${cluster.name}`);
    expect(await findLeftovers(cluster.name)).toEqual([]);
  });
});
