import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newestKubectl, sayWhyNot, whyNoKubectlCluster } from "../../support/host-abilities.ts";
import { type LabCluster, startLabCluster } from "../../support/lab-cluster.ts";
import { eventually } from "../../support/run-program.ts";
import { type RunningKubectl, startKubectl } from "../../support/running-kubectl.ts";

// Kubernetes' conformance tests of the network between pods, by upstream's names.

const lacking = whyNoKubectlCluster();

/** Answers with its name by HTTP and by UDP, as upstream's "agnhost netexec" does. */
const server = `
const name = process.env.NAME;
const ports = JSON.parse(process.env.PORTS);
for (const port of ports) {
  require("node:http").createServer((request, response) => {
    response.setHeader("content-type", "application/json");
    const { method } = request;
    response.end(request.url.endsWith("/hostname") ? name : JSON.stringify({ Method: method, Body: "foo", Path: request.url, Port: port }));
  }).listen(port);
  const socket = require("node:dgram").createSocket("udp4");
  socket.on("message", (_, { port: from, address }) => socket.send(name, from, address));
  socket.bind(port);
}`;

/** Prints the answer to a packet, or nothing if no answer arrives in time. */
const udpClient = `
const socket = require("node:dgram").createSocket("udp4");
const end = () => process.exit();
socket.on("message", (answer) => { console.log(String(answer)); end(); }).on("error", end);
socket.send("hello", Number(process.argv[2]), process.argv[1]);
setTimeout(end, 2000);`;

const host = {
  volumes: [{ name: "host", hostPath: { path: "/" } }],
  volumeMounts: [{ name: "host", mountPath: "/host", readOnly: true }],
};
const client = (name: string, spec: object) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name },
  spec: {
    nodeName: "node-1",
    terminationGracePeriodSeconds: 0,
    containers: [{ name: "c", image: "busybox:1", command: ["sleep", "1d"], volumeMounts: host.volumeMounts }],
    volumes: host.volumes,
    ...spec,
  },
});

const manifest = (
  name: string,
  ports: readonly number[],
  more: { container?: object; spec?: object; labels?: object } = {},
) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, labels: { name, ...more.labels } },
  spec: {
    terminationGracePeriodSeconds: 0,
    containers: [
      {
        name: "c",
        image: "busybox:1",
        // The node's own Node.js, with the node's files.
        command: ["chroot", "/host", process.execPath, "-e", server],
        env: [
          { name: "NAME", value: name },
          { name: "PORTS", value: JSON.stringify(ports) },
        ],
        volumeMounts: host.volumeMounts,
        readinessProbe: { httpGet: { path: "/hostname", port: ports[0] }, periodSeconds: 1 },
        ...more.container,
      },
    ],
    volumes: host.volumes,
    ...more.spec,
  },
});

describe.skipIf(sayWhyNot("conformance of Services", lacking))("conformance, on the network", () => {
  let cluster: LabCluster;
  const apply = (...objects: object[]) =>
    cluster.apply(JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
  const ready = (...names: string[]) =>
    cluster.kubectl("wait", "--for=condition=Ready", "--timeout=60s", ...names.map((name) => `pod/${name}`));
  const exec = async (pod: string, script: string) =>
    (await cluster.tryKubectl(["exec", pod, "--", "sh", "-c", script])).stdout.trim();
  const byTcp = (pod: string, address: string, port: number) =>
    exec(pod, `printf 'GET /hostname HTTP/1.0\r\n\r\n' | nc -w 3 ${address} ${port} | tail -1`);
  // busybox has no UDP client that waits for an answer.
  const byUdp = (pod: string, address: string, port: number) =>
    exec(pod, `exec chroot /host ${process.execPath} -e '${udpClient}' ${address} ${port}`);
  const addressOf = async (pod: string) => (await cluster.get("pod", pod)).status.podIP ?? "";
  const reaches = (what: string, ask: () => Promise<string>, isRight: (answer: string) => boolean) =>
    eventually(what, async () => {
      const answer = await ask();
      return isRight(answer) && answer;
    });
  /** Repeats the request until each of the names has answered; resolves with all answers. */
  const answering = async (names: readonly string[], ask: () => Promise<string>) => {
    const seen = new Set<string>();
    await eventually(`answers of ${names.join()}`, async () => {
      seen.add(await ask());
      return names.every((name) => seen.has(name));
    });
    // A request may precede the rules in the kernel.
    seen.delete("");
    return [...seen].toSorted();
  };
  const service = (name: string, ports: object[], selector?: object) => ({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name },
    spec: { ports, ...(selector && { selector }) },
  });

  beforeAll(async () => {
    cluster = await startLabCluster({ name: "conformnet", nodes: 2, proxy: true });
    await apply(
      manifest("pod1", [3000, 3001], { spec: { nodeName: "node-1" } }),
      manifest("pod2", [3000, 3001], { spec: { nodeName: "node-2" } }),
      client("client", {}),
    );
    await ready("pod1", "pod2", "client");
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  const slice = (of: string, name: string, addresses: string[], ports: object[]) => ({
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name, labels: { "kubernetes.io/service-name": of } },
    addressType: "IPv4",
    endpoints: addresses.map((address) => ({ addresses: [address] })),
    ports,
  });

  test("[sig-network] EndpointSlice should support a Service with multiple endpoint IPs specified in multiple EndpointSlices [Conformance]", async () => {
    const port = { name: "http", port: 3000, protocol: "TCP" };
    await apply(
      service("many-addresses", [{ name: "http", port: 80, protocol: "TCP" }]),
      slice("many-addresses", "many-addresses-1", [await addressOf("pod1")], [port]),
      slice("many-addresses", "many-addresses-2", [await addressOf("pod2")], [port]),
    );
    const address = await cluster.clusterIp("many-addresses");
    expect(await answering(["pod1", "pod2"], () => byTcp("client", address, 80))).toEqual(["pod1", "pod2"]);
  });

  test("[sig-network] EndpointSlice should support a Service with multiple ports specified in multiple EndpointSlices [Conformance]", async () => {
    const port = (name: string, number: number) => ({ name, port: number, protocol: "TCP" });
    await apply(
      service("many-ports", [
        { name: "portname1", port: 80, protocol: "TCP" },
        { name: "portname2", port: 81, protocol: "TCP" },
      ]),
      slice("many-ports", "many-ports-1", [await addressOf("pod1")], [port("portname1", 3000)]),
      slice("many-ports", "many-ports-2", [await addressOf("pod2")], [port("portname2", 3001)]),
    );
    const address = await cluster.clusterIp("many-ports");
    expect(await answering(["pod1"], () => byTcp("client", address, 80))).toEqual(["pod1"]);
    expect(await answering(["pod2"], () => byTcp("client", address, 81))).toEqual(["pod2"]);
  });

  test("[sig-network] Services should serve endpoints on same port and different protocols [Conformance]", async () => {
    const port = (protocol: string) => ({ name: protocol.toLowerCase(), port: 80, targetPort: 3000, protocol });
    await apply(service("both-protocols", [port("TCP"), port("UDP")], { name: "pod1" }));
    const address = await cluster.clusterIp("both-protocols");
    expect(await answering(["pod1"], () => byTcp("client", address, 80))).toEqual(["pod1"]);
    expect(await answering(["pod1"], () => byUdp("client", address, 80))).toEqual(["pod1"]);
    // A removed protocol no longer answers, and the other protocol continues.
    const only = (protocol: string) =>
      JSON.stringify([{ op: "replace", path: "/spec/ports", value: [port(protocol)] }]);
    await cluster.kubectl("patch", "service", "both-protocols", "--type=json", "-p", only("UDP"));
    await reaches(
      "TCP is refused",
      () => byTcp("client", address, 80),
      (answer) => answer !== "pod1",
    );
    expect(await answering(["pod1"], () => byUdp("client", address, 80))).toEqual(["pod1"]);
    await cluster.kubectl("patch", "service", "both-protocols", "--type=json", "-p", only("TCP"));
    await reaches(
      "UDP is not answered",
      () => byUdp("client", address, 80),
      (answer) => answer !== "pod1",
    );
    expect(await answering(["pod1"], () => byTcp("client", address, 80))).toEqual(["pod1"]);
    const slices = await cluster.kubectl(
      "get",
      "endpointslices",
      "-l",
      "kubernetes.io/service-name=both-protocols",
      "-o",
      "jsonpath={.items[*].ports[*].protocol}",
    );
    expect(slices).toBe("TCP");
  });

  test("[sig-network] HostPort validates that there is no conflict between pods with same hostPort but different hostIP and protocol [LinuxOnly] [Conformance]", async () => {
    const hostIp = await cluster.nodeAddress("node-1");
    const hostPort = (hostIP: string, protocol: string) => ({
      container: { ports: [{ hostPort: 54323, containerPort: 8080, hostIP, protocol }] },
      spec: { nodeName: "node-1" },
    });
    await apply(
      manifest("host-port-1", [8080], hostPort("127.0.0.1", "TCP")),
      manifest("host-port-2", [8080], hostPort(hostIp, "TCP")),
      manifest("host-port-3", [8080], hostPort(hostIp, "UDP")),
      client("host-exec", { hostNetwork: true }),
    );
    await ready("host-port-1", "host-port-2", "host-port-3", "host-exec");
    expect(await answering(["host-port-1"], () => byTcp("host-exec", "127.0.0.1", 54323))).toEqual(["host-port-1"]);
    expect(await answering(["host-port-2"], () => byTcp("host-exec", hostIp, 54323))).toEqual(["host-port-2"]);
    expect(await answering(["host-port-3"], () => byUdp("host-exec", hostIp, 54323))).toEqual(["host-port-3"]);
  });

  describe("through the API server", () => {
    let proxy: RunningKubectl;
    let url: string;
    const methods = ["DELETE", "OPTIONS", "PATCH", "POST", "PUT", "GET", "HEAD"];
    const base = "/api/v1/namespaces/default";

    beforeAll(async () => {
      await apply(service("porter", [{ port: 80, targetPort: 3000, protocol: "TCP" }], { name: "pod1" }));
      // kubectl rejects only methods of upgrades and of exec.
      proxy = startKubectl({ program: newestKubectl() ?? "", kubeconfig: cluster.kubeconfig }, "proxy --port=0");
      url = await eventually("kubectl proxy serves", async () => {
        const [, address] = /Starting to serve on (\S+)/.exec(proxy.output()) ?? [];
        return address && `http://${address}`;
      });
      await eventually("the Service has its endpoint", async () => {
        const answer = await fetch(`${url}${base}/services/porter/proxy/hostname`);
        return answer.status === 200;
      });
    });
    afterAll(() => proxy?.[Symbol.asyncDispose]());

    /** Upstream's two tests differ in the path after the word `proxy`. */
    const validResponses = async (path: string) => {
      const answered: string[] = [];
      for (const target of ["pods/pod1:3000", "services/porter", "services/porter:80"]) {
        for (const method of methods) {
          const answer = await fetch(`${url}${base}/${target}/proxy${path}`, { method, redirect: "manual" });
          expect([target, method, answer.status]).toEqual([target, method, 200]);
          const text = await answer.text();
          if (method === "HEAD") expect(text).toBe("");
          else expect(JSON.parse(text)).toMatchObject({ Method: method, Body: "foo" });
          answered.push(method);
        }
      }
      return answered;
    };

    test("[sig-network] Proxy version v1 A set of valid responses are returned for both pod and service Proxy [Conformance]", async () => {
      // GET and HEAD of a path without a trailing slash are redirected to the path with the slash.
      for (const target of ["pods/pod1:3000", "services/porter"]) {
        for (const method of ["GET", "HEAD"]) {
          const answer = await fetch(`${url}${base}/${target}/proxy`, { method, redirect: "manual" });
          expect([answer.status, answer.headers.get("location")]).toEqual([301, expect.stringMatching(/\/proxy\/$/)]);
        }
      }
      expect(await validResponses("/")).toHaveLength(3 * methods.length);
    });

    test("[sig-network] Proxy version v1 A set of valid responses are returned for both pod and service ProxyWithPath [Conformance]", async () => {
      expect(await validResponses("/some/path/with/http-methods?method=any")).toHaveLength(3 * methods.length);
    });
  });
});
