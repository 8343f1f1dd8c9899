import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Duplex } from "node:stream";
import { connect } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fetchText } from "../../support/fetch-text.ts";
import { newestKubectl, sayWhyNot, whyNoKubectlCluster } from "../../support/host-abilities.ts";
import { type KubernetesObject, type LabCluster, startLabCluster } from "../../support/lab-cluster.ts";
import { eventually, runProgram } from "../../support/run-program.ts";

// Tests Services from the client's side: each node's proxy, its rules in the kernel, and packets
// that follow them.

const lacking = whyNoKubectlCluster();

/** Answers with its name, and is Ready while it has a file. */
const web = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 4
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 0
      topologySpreadConstraints:
        - {maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}
      nodeSelector: {servers: "yes"}
      containers:
        - name: web
          image: busybox:1
          command: [sh, -c, "mkdir /www && hostname > /www/index.html && touch /tmp/ready && exec httpd -f -p 8080 -h /www"]
          readinessProbe: {exec: {command: [test, -f, /tmp/ready]}, periodSeconds: 1, failureThreshold: 1}
---
apiVersion: v1
kind: Pod
metadata: {name: client}
spec:
  nodeName: node-1
  containers: [{name: client, image: "busybox:1", command: [sleep, "3600"]}]
`;

describe.skipIf(sayWhyNot("traffic to Services", lacking))("traffic to a Service", () => {
  let cluster: LabCluster;
  const backends = async () => (await cluster.get<{ items: KubernetesObject[] }>("pods", "-l", "app=web")).items;
  const isReady = ({ status }: KubernetesObject) =>
    status.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true;
  const namesOf = (pods: readonly KubernetesObject[]) => pods.map(({ metadata }) => metadata.name).toSorted();
  const readyNames = async () => namesOf((await backends()).filter(isReady));
  /** Returns the names of the servers that answer a pod's requests; "refused" and "" count too. */
  const answers = async (pod: string, address: string, { times = 40, port = 80 } = {}) => {
    const ask = `printf 'GET / HTTP/1.0\\r\\n\\r\\n' | nc -w 2 ${address} ${port} 2>&1 | tail -1`;
    const { stdout } = await cluster.tryKubectl(
      ["exec", pod, "--", "sh", "-c", `for i in $(seq ${times}); do echo "=$(${ask})"; done`],
      { timeoutMs: 120_000 },
    );
    const said = stdout.split("\n").filter((line) => line !== "");
    expect(said).toHaveLength(times);
    return [...new Set(said.map((line) => (line.includes("refused") ? "refused" : line.slice(1))))].toSorted();
  };
  const rulesKnow = (what: string, known: () => Promise<boolean>) =>
    eventually(what, async () => ((await known()) ? true : undefined));
  const rulesOf = async (node: string) =>
    (
      await runProgram("ip", [
        "netns",
        "exec",
        `kintsugi-${cluster.name}-${node}`,
        "nft",
        "list",
        "table",
        "ip",
        "kube-proxy",
      ])
    ).stdout;

  beforeAll(async () => {
    cluster = await startLabCluster({ name: "traffic", nodes: 3, proxy: true });
    // The third node is the one that will die with its pods; the client is on the first.
    await cluster.kubectl("label", "nodes", "--all", "servers=yes");
    await cluster.apply(web);
    await cluster.kubectl("rollout", "status", "deployment/web", "--timeout=60s");
    await cluster.kubectl("wait", "pod/client", "--for=condition=Ready", "--timeout=60s");
    await cluster.kubectl("expose", "deployment", "web", "--port=80", "--target-port=8080");
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  test("reaches every backend on every node, even from a backend itself", async () => {
    const address = await cluster.clusterIp("web");
    const names = await readyNames();
    expect(names).toHaveLength(4);
    await eventually(
      "the Service answers",
      async () => !(await answers("client", address, { times: 1 })).includes("refused"),
    );
    expect(await answers("client", address)).toEqual(names);
    const itself = (await backends())[0]?.metadata.name ?? "";
    expect(await answers(itself, address)).toEqual(names);
  });

  test("reaches the API server by the Service kubernetes, whose address is in its certificate", async () => {
    const address = await cluster.clusterIp("kubernetes");
    const ca = Buffer.from(
      await cluster.kubectl(
        "config",
        "view",
        "--raw",
        "-o",
        "jsonpath={.clusters[0].cluster.certificate-authority-data}",
      ),
      "base64",
    ).toString();
    const file = join(cluster.kubeconfig, "../ca.crt");
    await writeFile(file, ca);
    const words = [
      "s_client",
      "-connect",
      `${address}:443`,
      "-CAfile",
      file,
      "-verify_ip",
      address,
      "-verify_return_error",
    ];
    const inside = ["netns", "exec", `kintsugi-${cluster.name}-node-2`, "openssl", ...words];
    const shaken = await eventually("it answers", async () => {
      const result = await runProgram("ip", inside);
      return result.code === 0 && result;
    });
    expect(shaken.stdout).toContain("Verify return code: 0 (ok)");
    const { stdout } = await cluster.tryKubectl([
      "exec",
      "client",
      "--",
      "sh",
      "-c",
      `nc -w 2 ${address} 443 </dev/null && echo reached`,
    ]);
    expect(stdout).toBe("reached\n");
  });

  test("reaches the API server from a pod by its environment variables, at an address in the certificate", async () => {
    const variables = await cluster.kubectl("exec", "client", "--", "env");
    const told = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(variables)?.[1];
    const host = await cluster.clusterIp("kubernetes");
    expect([told("KUBERNETES_SERVICE_HOST"), told("KUBERNETES_SERVICE_PORT")]).toEqual([host, "443"]);
    const ca = await cluster.kubectl(
      "exec",
      "client",
      "--",
      "cat",
      "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt",
    );
    const answer = await eventually("it answers", () =>
      readyOver(connectionFrom(cluster, "client", { host, port: 443 }), { host, ca }).catch(() => undefined),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n.*\r\n\r\nok$/s);
  });

  test("bypasses a backend that is not Ready, and reaches it again when it is", async () => {
    const address = await cluster.clusterIp("web");
    const [victim = "", ...rest] = await readyNames();
    await cluster.kubectl("exec", victim, "--", "rm", "/tmp/ready");
    await eventually("it is out", async () => !(await answers("client", address, { times: 20 })).includes(victim));
    expect(await answers("client", address)).toEqual(rest);
    await cluster.kubectl("exec", victim, "--", "touch", "/tmp/ready");
    await eventually("it is in again", async () => (await answers("client", address)).includes(victim));
  });

  test("is rejected immediately without an endpoint or without such a port", async () => {
    await cluster.kubectl("create", "service", "clusterip", "nobody", "--tcp=80:8080");
    const nobody = await cluster.clusterIp("nobody");
    await eventually("it is refused", async () => (await answers("client", nobody, { times: 1 })).join() === "refused");
    const startedMs = performance.now();
    expect(await answers("client", nobody, { times: 10 })).toEqual(["refused"]);
    expect(await answers("client", await cluster.clusterIp("web"), { times: 10, port: 81 })).toEqual(["refused"]);
    // Twenty connections were opened: a connection that waited for a second attempt would take a
    // second.
    expect(performance.now() - startedMs).toBeLessThan(15_000);
  });

  test("enters at a node port of any node, and keeps its backend if the Service specifies it", async () => {
    await cluster.kubectl(
      "expose",
      "deployment",
      "web",
      "--name=ports",
      "--port=80",
      "--target-port=8080",
      "--type=NodePort",
      "--session-affinity=ClientIP",
    );
    const port = Number(await cluster.kubectl("get", "service", "ports", "-o", "jsonpath={.spec.ports[0].nodePort}"));
    for (const node of ["node-1", "node-2", "node-3"]) {
      const address = await cluster.nodeAddress(node);
      await eventually(`${node} answers`, () => fetchText(address, port).catch(() => undefined));
      const said = new Set<string>();
      for (let i = 0; i < 10; i++) said.add(await fetchText(address, port));
      expect(said.size).toBe(1);
      // The client is on another node, so it is not outside of the cluster.
      const [from = ""] = ["node-1", "node-2"].filter((each) => each !== node);
      const inside = await runProgram("ip", [
        "netns",
        "exec",
        `kintsugi-${cluster.name}-${from}`,
        "sh",
        "-c",
        `printf 'GET / HTTP/1.0\\r\\n\\r\\n' | busybox nc -w 2 ${address} ${port}`,
      ]);
      expect(await readyNames()).toContain(inside.stdout.trim().split("\n").at(-1));
    }
    const sticky = await cluster.clusterIp("ports");
    expect(await answers("client", sticky)).toHaveLength(1);
  });

  test("continues by the rules of a killed proxy, and by the rules of its successor", async () => {
    const address = await cluster.clusterIp("web");
    const before = await cluster.pidOf("proxy@node-1");
    process.kill(before, "SIGKILL");
    expect(await answers("client", address)).toEqual(await readyNames());
    await eventually("another proxy runs", async () => (await cluster.pidOf("proxy@node-1")) !== before);
    await cluster.kubectl("scale", "deployment", "web", "--replicas=6");
    await cluster.kubectl("rollout", "status", "deployment/web", "--timeout=60s");
    const names = await readyNames();
    expect(names).toHaveLength(6);
    await eventually(
      "it leads to the new ones too",
      async () => (await answers("client", address, { times: 60 })).join() === names.join(),
    );
  });

  test("continues to the remaining backends when a node fails", async () => {
    const address = await cluster.clusterIp("web");
    const lost = namesOf((await backends()).filter(({ spec }) => spec.nodeName === "node-3"));
    expect(lost.length).toBeGreaterThan(0);
    await cluster.kintsugi("node", "kill", "node-3");
    await eventually("the dead node's backends are out", async () => {
      const said = await answers("client", address, { times: 20 });
      return said.every((name) => name !== "" && name !== "refused" && !lost.includes(name));
    });
    const still = await answers("client", address);
    expect(still.filter((name) => lost.includes(name) || name === "")).toEqual([]);
    await rulesKnow("no rule is left on the dead node", async () => !(await rulesOf("node-3")).includes("dnat"));
    await cluster.kintsugi("node", "return", "node-3");
    await rulesKnow("it has its rules again", async () => (await rulesOf("node-3")).includes("dnat to"));
  });
});

/**
 * A connection that a pod opens. Its busybox supports no TLS that the server accepts, so it passes
 * on the bytes of the test's TLS client.
 */
function connectionFrom(cluster: LabCluster, pod: string, to: { host: string; port: number }): Duplex {
  const words = ["--kubeconfig", cluster.kubeconfig, "exec", "-i", pod, "--", "nc", to.host, String(to.port)];
  const { stdin, stdout } = spawn(newestKubectl() ?? "kubectl", words, { stdio: ["pipe", "pipe", "ignore"] });
  return Duplex.from({ writable: stdin, readable: stdout });
}

/**
 * Returns the API server's answer about its readiness over this connection; the host has to be in
 * its certificate.
 */
function readyOver(connection: Duplex, { host, ca }: { host: string; ca: string }): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ socket: connection, host, ca });
    let text = "";
    socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
    socket.on("end", () => resolve(text));
    socket.on("error", reject);
    socket.setTimeout(10_000, () => socket.destroy(new Error("no answer")));
    socket.write(`GET /readyz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  });
}
