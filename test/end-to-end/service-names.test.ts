import { Resolver } from "node:dns/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sayWhyNot, whyNoKubectlCluster } from "../support/host-abilities.ts";
import { type LabCluster, startLabCluster } from "../support/lab-cluster.ts";
import { eventually } from "../support/run-program.ts";

// Names of Services, as pods query them: through their resolv.conf, from the name server of their
// own node.

const lacking = whyNoKubectlCluster();

/** One pod on each node, which answers with its name, and is Ready while it has a file. */
const web = [1, 2]
  .map(
    (node) => `apiVersion: v1
kind: Pod
metadata: {name: web-${node}, labels: {app: web}}
spec:
  nodeName: node-${node}
  hostname: web-${node}
  subdomain: peers
  terminationGracePeriodSeconds: 0
  containers:
    - name: web
      image: busybox:1
      command: [sh, -c, "mkdir /www && hostname > /www/index.html && touch /tmp/ready && exec httpd -f -p 8080 -h /www"]
      readinessProbe: {exec: {command: [test, -f, /tmp/ready]}, periodSeconds: 1, failureThreshold: 1}
---
`,
  )
  .join("");

const services = `apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{name: http, port: 80, targetPort: 8080}]}
---
apiVersion: v1
kind: Service
metadata: {name: peers}
spec: {clusterIP: None, selector: {app: web}, ports: [{name: http, port: 8080}]}
---
apiVersion: v1
kind: Service
metadata: {name: shop}
spec: {type: ExternalName, externalName: web.default.svc.cluster.local}
`;

describe.skipIf(sayWhyNot("names of Services", lacking))("a name of a Service", () => {
  let cluster: LabCluster;
  const pod = (name: string) => cluster.get("pod", name);
  const addressOf = async (name: string) => (await pod(name)).status.podIP ?? "";
  const exec = (...command: string[]) => cluster.kubectl("exec", "web-1", "--", ...command);
  /**
   * Queries a node's name server from outside of pods, with a resolver that differs from that of
   * pods.
   */
  const ask = async (node: string) => {
    const resolver = new Resolver({ timeout: 1_000, tries: 2 });
    resolver.setServers([await cluster.nodeAddress(node)]);
    return resolver;
  };
  const peers = async () =>
    (
      await (
        await ask("node-2")
      )
        .resolve4("peers.default.svc.cluster.local")
        .catch((error: NodeJS.ErrnoException) => [error.code ?? ""])
    ).toSorted();

  beforeAll(async () => {
    cluster = await startLabCluster({ name: "names", nodes: 2, proxy: true });
    await cluster.apply(`${web}${services}`);
    await cluster.kubectl("wait", "pod", "--all", "--for=condition=Ready", "--timeout=60s");
    const resolver = await ask("node-1");
    const address = await cluster.clusterIp("web");
    // A node's proxy starts last.
    await eventually("node-1 answers names", async () =>
      (await resolver.resolve4("web.default.svc.cluster.local").catch((): string[] => [])).includes(address),
    );
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  test("resolves in a pod, in short or in full, without a warning about a missing name server", async () => {
    expect(await exec("cat", "/etc/resolv.conf")).toContain(
      `search default.svc.cluster.local svc.cluster.local cluster.local`,
    );
    expect(await exec("cat", "/etc/resolv.conf")).toContain(`nameserver ${await cluster.nodeAddress("node-1")}\n`);
    for (const name of ["web", "web.default", "web.default.svc.cluster.local", "shop"])
      expect(await exec("wget", "-qO-", `http://${name}/`)).toMatch(/^web-[12]\n$/);
    expect(await exec("wget", "-qO-", "http://web-2.peers:8080/")).toBe("web-2\n");
    expect(await cluster.kubectl("get", "events")).not.toContain("MissingClusterDNS");
  });

  test("without a cluster IP resolves to its Ready pods", async () => {
    const [first, second] = [await addressOf("web-1"), await addressOf("web-2")];
    await eventually("both are named", async () => (await peers()).length === 2);
    expect(await peers()).toEqual([first, second].toSorted());
    const resolver = await ask("node-2");
    // The second pod is also an endpoint of web, so its address has two names.
    expect(await resolver.reverse(second)).toContain("web-2.peers.default.svc.cluster.local");
    expect(
      (await resolver.resolveSrv("_http._tcp.peers.default.svc.cluster.local"))
        .map(({ name, port }) => `${name} ${port}`)
        .toSorted(),
    ).toEqual(["web-1.peers.default.svc.cluster.local 8080", "web-2.peers.default.svc.cluster.local 8080"]);
    await cluster.kubectl("exec", "web-2", "--", "rm", "/tmp/ready");
    await eventually("one is left", async () => (await peers()).join() === first);
    await cluster.kubectl("exec", "web-2", "--", "touch", "/tmp/ready");
    await eventually("both are back", async () => (await peers()).length === 2);
  });

  test("is known to every node soon after the Service is created, and is unknown to every node soon after its removal", async () => {
    const both = await Promise.all(["node-1", "node-2"].map(ask));
    const answers = () =>
      Promise.all(
        both.map((node) =>
          node.resolve4("late.default.svc.cluster.local").then(String, (error: NodeJS.ErrnoException) => error.code),
        ),
      );
    expect(await answers()).toEqual(["ENOTFOUND", "ENOTFOUND"]);
    await cluster.kubectl("create", "service", "clusterip", "late", "--tcp=80");
    const address = await cluster.clusterIp("late");
    await eventually("both know it", async () => (await answers()).join() === `${address},${address}`);
    await cluster.kubectl("delete", "service", "late");
    await eventually("both have forgotten it", async () => (await answers()).join() === "ENOTFOUND,ENOTFOUND");
  });

  test("is answered while the API server is paused, and again soon after the node's proxy was killed", async () => {
    const address = await cluster.clusterIp("web");
    const resolver = await ask("node-1");
    const [server, proxy] = [await cluster.pidOf("api-server"), await cluster.pidOf("proxy@node-1")];
    process.kill(server, "SIGSTOP");
    try {
      expect(await resolver.resolve4("web.default.svc.cluster.local")).toEqual([address]);
    } finally {
      process.kill(server, "SIGCONT");
    }
    process.kill(proxy, "SIGKILL");
    await eventually("another proxy runs", async () => (await cluster.pidOf("proxy@node-1")) !== proxy);
    await eventually("names are answered again", async () =>
      (await resolver.resolve4("web.default.svc.cluster.local").catch((): string[] => [])).includes(address),
    );
  });
});
