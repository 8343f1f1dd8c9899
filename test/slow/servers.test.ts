import { loadKubeconfig } from "@kintsugi/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sayWhyNot, whyNoServersCluster } from "../support/host-abilities.ts";
import { type LabCluster, listServers, startLabCluster } from "../support/lab-cluster.ts";
import { eventually } from "../support/run-program.ts";
import { keepJournal, type WriteJournal } from "../support/servers/write-journal.ts";

// Three servers, each of which dies or is cut off in turn while a journal continuously writes and
// reads and kubectl works in parallel: no acknowledged write is lost, and no read misses a write.

const lacking = whyNoServersCluster();

/**
 * Time that a write may wait after a fault, on two processors that also run fourteen processes: an
 * election of etcd takes 1 to 2 s, a silently dead connection 3 s, or 15 s if it was idle.
 */
const stallMaxMs = 25_000;

describe.skipIf(sayWhyNot("three servers", lacking))("a control plane of three servers", () => {
  let cluster: LabCluster;
  let journal: WriteJournal;

  const servers = () => listServers(cluster);
  const act = async (...args: string[]) => {
    expect(await cluster.kintsugi("server", ...args)).toMatchObject({ code: 0 });
  };
  const allReady = () =>
    eventually(
      "all servers are ready",
      async () => (await servers()).every(({ api, etcd }) => api === "ready" && etcd !== "silent"),
      90_000,
    );
  /** Kubectl writes and reads its own write, through the balancer. */
  const kubectlWorks = async (name: string) => {
    // Connections through the balancer end with their server, and kubectl does not repeat writes.
    await eventually(
      "kubectl writes",
      async () => {
        const args = ["create", "configmap", name, `--from-literal=name=${name}`, "--request-timeout=30s"];
        const { code, stderr } = await cluster.tryKubectl(args, { timeoutMs: 40_000 });
        return code === 0 || stderr.includes("already exists");
      },
      60_000,
    );
    expect(await cluster.kubectl("get", "configmap", name, "-o", "jsonpath={.data.name}")).toBe(name);
  };
  /** Writes continue; no write was lost, and no read was stale. */
  const verify = async (what: string) => {
    const before = journal.acknowledged.length;
    await eventually("writes go on", async () => journal.acknowledged.length > before + 10, 60_000);
    const stallMs = journal.takeLongestStallMs();
    process.stdout.write(
      `${what}: the longest wait for a write was ${stallMs} ms, ${journal.retries()} repeated so far\n`,
    );
    expect([journal.missed, journal.failures]).toEqual([[], []]);
    expect(stallMs).toBeLessThan(stallMaxMs);
  };

  beforeAll(async () => {
    cluster = await startLabCluster({ name: "servers", nodes: 2, args: ["--servers", "3"] });
    const access = loadKubeconfig(cluster.kubeconfig);
    journal = keepJournal(access, { prefix: "journal", servers: access.servers ?? [] });
    await allReady();
    journal.takeLongestStallMs();
  });
  afterAll(async () => {
    await journal.end();
    await cluster[Symbol.asyncDispose]();
  });

  test("each server crashes in turn, with its leaders, and returns", async () => {
    for (const name of ["server-1", "server-2", "server-3"]) {
      const dying = (await servers()).find((server) => server.name === name);
      await act("kill", name);
      await kubectlWorks(`during-${name}`);
      await verify(`${name} (etcd ${dying?.etcd}, leads ${dying?.leads.join(" ") || "nothing"}) dies`);
      await act("return", name);
      await allReady();
      await verify(`${name} returns`);
    }
    expect(await journal.lost()).toEqual([]);
  });

  test("the leader of etcd is killed, and every program has a leader again", async () => {
    const leader = (await servers()).find(({ etcd }) => etcd === "leader");
    expect(leader).toBeDefined();
    const name = leader?.name ?? "";
    await act("kill", name);
    await kubectlWorks("without-leader");
    await verify(`etcd's leader ${name} dies`);
    await eventually(
      "others lead",
      async () => {
        const alive = (await servers()).filter((server) => server.name !== name);
        const leads = alive.flatMap((server) => server.leads).sort();
        return (
          leads.join() === "api-server,controller-manager,scheduler" && alive.some(({ etcd }) => etcd === "leader")
        );
      },
      60_000,
    );
    await act("return", name);
    await allReady();
    expect(await journal.lost()).toEqual([]);
  });

  test.each(["", "etcd", "nats", "servers"])("a server that is cut off %s does not serve stale data", async (from) => {
    const name = (await servers()).find(({ leads }) => leads.includes("api-server"))?.name ?? "server-1";
    await act("partition", name, ...(from === "" ? [] : ["--from", from]));
    await kubectlWorks(`cut-${from || "off"}`);
    await verify(`${name} is cut off ${from === "" ? "from everything" : `from ${from}`}`);
    if (from === "etcd" || from === "servers") {
      await eventually(
        "it is not ready",
        async () => (await servers()).find((server) => server.name === name)?.api !== "ready",
        30_000,
      );
    }
    await act("heal", name);
    await allReady();
    await verify(`${name} is connected`);
    expect(await journal.lost()).toEqual([]);
  });

  test("a node fails together with a server, and its pods run on other nodes", async () => {
    await cluster.kubectl("create", "deployment", "web", "--image=busybox:1", "--replicas=2", "--", "sleep", "1d");
    const ready = async () =>
      (await cluster.kubectl("get", "deployment", "web", "-o", "jsonpath={.status.readyReplicas}")) === "2";
    await eventually("both pods run", ready, 60_000);
    const leads = (await servers()).find((server) => server.leads.includes("controller-manager"))?.name ?? "server-1";
    const [killed] = await Promise.all([cluster.kintsugi("node", "kill", "node-1"), act("kill", leads)]);
    expect(killed.code).toBe(0);
    const onlyOnSecond = async () => {
      const fields = 'jsonpath={range .items[?(@.spec.nodeName=="node-2")]}{.metadata.name} {end}';
      const running = "--field-selector=status.phase=Running";
      const where = await cluster.kubectl("get", "pods", "-l", "app=web", running, "-o", fields);
      return where.trim().split(" ").length === 2;
    };
    await eventually("both pods run on the other node", onlyOnSecond, 120_000);
    await act("return", leads);
    await cluster.kintsugi("node", "return", "node-1");
    await allReady();
    await verify("a node and a server die together");
  });

  test("when two servers fail, no write is lost: reads from memory are answered, and writes wait for a majority", async () => {
    const [first, second, third] = await servers();
    await act("kill", first?.name ?? "");
    await act("kill", second?.name ?? "");
    const access = loadKubeconfig(cluster.kubeconfig);
    const rest = access.servers?.[2] ?? "";
    expect(third?.name).toBe("server-3");
    const kubectl = (...args: string[]) => cluster.tryKubectl(["--server", rest, ...args], { timeoutMs: 60_000 });
    const ofMemory = await kubectl(
      "get",
      "--raw",
      "/api/v1/namespaces/default/configmaps/during-server-1?resourceVersion=0",
    );
    expect([ofMemory.code, ofMemory.stdout]).toEqual([0, expect.stringContaining("during-server-1")]);
    const write = await kubectl("create", "configmap", "without-majority", "--request-timeout=40s");
    expect([write.code, write.stderr]).toEqual([
      1,
      expect.stringMatching(/cannot be reached|no write|did not answer|Timeout/i),
    ]);
    const fresh = await kubectl("get", "configmap", "during-server-1", "--request-timeout=20s");
    expect(fresh.code).toBe(1);
    await act("return", first?.name ?? "");
    await act("return", second?.name ?? "");
    await allReady();
    const before = journal.acknowledged.length;
    await eventually("writes go on", async () => journal.acknowledged.length > before + 10, 90_000);
    expect(journal.missed).toEqual([]);
    expect(await journal.lost()).toEqual([]);
  });
});
