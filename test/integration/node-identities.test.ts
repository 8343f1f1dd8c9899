import {
  type CertificateSigningRequest,
  certificateSigningRequests,
  type Event,
  events,
  formatMicroTime,
  leases,
  nodes,
  pods,
} from "@kintsugi/api";
import { type Client } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { createControllerManager } from "@kintsugi/controller-manager/factory";
import { createAuthority, createSigningRequest, openAuthority } from "@kintsugi/pki";
import { expect, test } from "vitest";
import { startApiInMemory } from "../support/servers/api-in-memory.ts";

// Attacks of a machine with a bootstrap token, and of a node, on the certificates that the cluster
// signs.

const second = 1000;
const apiAddress = "10.0.0.1";
const joiner = ["system:bootstrappers", "system:bootstrappers:kubeadm:default-node-token"];

test("a bootstrap token does not take over an existing node, and the refusal states how to replace it", async () => {
  await using cluster = await startCluster();
  const token = cluster.clientOf("system:bootstrap:abcdef", joiner);
  const fresh = await cluster.ask(token, { node: "node-1", purpose: "client" });
  expect(fresh.status?.certificate).toBeDefined();
  await cluster.register("node-1", ["10.0.0.11"]);
  const theft = await cluster.ask(token, { node: "node-1", purpose: "client" });
  expect(theft.status?.certificate).toBeUndefined();
  expect(theft.status?.conditions).toMatchObject([
    { type: "Denied", reason: "NodeExists", message: expect.stringContaining("kubectl delete node node-1") },
  ]);
  expect(await cluster.messagesAbout(theft)).toEqual([expect.stringContaining("stop its kubelet, delete it")]);
  const renewal = await cluster.ask(cluster.nodeClient("node-1"), { node: "node-1", purpose: "client" });
  expect(renewal.status?.certificate).toBeDefined();
  await cluster.admin.delete(nodes, { namespace: "", name: "node-1" });
  const replacement = await cluster.ask(token, { node: "node-1", purpose: "client" });
  expect(replacement.status?.certificate).toBeDefined();
});

test("a bootstrap token does not get the name of a deleted node while that node's pods exist", async () => {
  await using cluster = await startCluster();
  await cluster.register("node-1", ["10.0.0.11"]);
  const key = { namespace: "default", name: "p" };
  const spec = { nodeName: "node-1", containers: [{ name: "c", image: "busybox" }] };
  await cluster.admin.create(pods, { metadata: key, spec });
  const status = { phase: "Running", startTime: "2026-01-01T00:00:00Z" };
  await cluster.nodeClient("node-1").patch(pods, key, { type: "merge", body: { status } }, { subresource: "status" });
  await cluster.admin.delete(nodes, { namespace: "", name: "node-1" });
  const asked = await cluster.ask(cluster.clientOf("system:bootstrap:abcdef", joiner), {
    node: "node-1",
    purpose: "client",
  });
  expect(asked.status?.certificate).toBeUndefined();
  expect(await cluster.admin.find(pods, key)).toBeDefined();
  await cluster.collectPods();
  expect(await cluster.admin.find(pods, key)).toBeUndefined();
  expect((await cluster.settle(asked)).status?.certificate).toBeDefined();
});

test("a node gets a serving certificate for its own name and address", async () => {
  await using cluster = await startCluster();
  await cluster.register("node-1", ["10.0.0.11"]);
  const own = { node: "node-1", purpose: "server", dnsNames: ["node-1"], ipAddresses: ["10.0.0.11"] } as const;
  expect((await cluster.ask(cluster.nodeClient("node-1"), own)).status?.certificate).toBeDefined();
});

test.each([
  { what: "the API server's address", dnsNames: [], ipAddresses: [apiAddress] },
  { what: "the Service kubernetes", dnsNames: [], ipAddresses: ["10.96.0.1"] },
  { what: "the API server's name", dnsNames: ["api.example.com"], ipAddresses: [] },
  { what: "a Service's name", dnsNames: ["kubernetes.default.svc"], ipAddresses: [] },
  { what: "another node's address", dnsNames: [], ipAddresses: ["10.0.0.12"] },
  { what: "another node's name", dnsNames: ["node-2"], ipAddresses: [] },
])("a node that claims $what does not get a certificate for it", async ({ dnsNames, ipAddresses }) => {
  await using cluster = await startCluster();
  await cluster.register("node-2", ["10.0.0.12"]);
  await cluster.register("node-1", ["10.0.0.11"]);
  await cluster.claim("node-1", [...dnsNames, ...ipAddresses]);
  const asked = { node: "node-1", purpose: "server", dnsNames, ipAddresses } as const;
  const request = await cluster.ask(cluster.nodeClient("node-1"), asked);
  expect(request.status?.certificate).toBeUndefined();
  expect(request.status?.conditions ?? []).toEqual([]);
  expect(await cluster.messagesAbout(request)).toEqual([expect.stringMatching(/^not approved: /)]);
});

test("a node that has removed its addresses does not get a certificate until it has them again", async () => {
  await using cluster = await startCluster();
  await cluster.register("node-1", []);
  const asked = { node: "node-1", purpose: "server", dnsNames: [], ipAddresses: ["10.0.0.11"] } as const;
  const request = await cluster.ask(cluster.nodeClient("node-1"), asked);
  expect(request.status?.certificate).toBeUndefined();
  await cluster.claim("node-1", ["10.0.0.11"]);
  expect((await cluster.settle(request)).status?.certificate).toBeDefined();
});

interface Wanted {
  readonly node: string;
  readonly purpose: "client" | "server";
  readonly dnsNames?: readonly string[];
  readonly ipAddresses?: readonly string[];
}

async function startCluster() {
  const { clock, random, log, metrics, stop, serving, clientOf } = await startApiInMemory({
    advertised: { address: apiAddress, port: 6443 },
    serviceClusterIpRange: "10.96.0.0/16",
  });
  const nodeClient = (name: string) => clientOf(`system:node:${name}`, ["system:nodes"]);
  const admin = clientOf("admin", ["system:masters"]);
  const machine = { clock: systemClock, random: systemRandom };
  const signing = await openAuthority(machine, await createAuthority(machine, "kubernetes"));
  const apiServerNames = () => Promise.resolve(["localhost", "api.example.com", apiAddress]);
  const client = clientOf("system:kube-controller-manager");
  const manager = createControllerManager({ client, clock, random, log, metrics, signing, apiServerNames });
  const managing = manager.run(stop.signal);
  await clock.advance(second);
  const addressesOf = (claimed: readonly string[]) =>
    claimed.map((address) => ({ type: /^[\d.]+$/.test(address) ? "InternalIP" : "Hostname", address }) as const);
  const find = (name: string) => admin.get(certificateSigningRequests, { namespace: "", name });
  /** Keys and signatures are made outside of virtual time. */
  const settle = async ({ metadata }: CertificateSigningRequest) => {
    for (let tries = 0; tries < 15; tries++) {
      await clock.advance(second);
      await new Promise((resolve) => setTimeout(resolve, 20));
      const request = await find(metadata.name ?? "");
      if (request.status?.certificate !== undefined) return request;
    }
    return find(metadata.name ?? "");
  };
  let asked = 0;
  return {
    admin,
    clientOf,
    nodeClient,
    settle,
    collectPods: () => clock.advance(90 * second),
    register: async (name: string, addresses: readonly string[]) => {
      const nodeInfo = { kubeletVersion: "v1.33.0" };
      await nodeClient(name).create(nodes, {
        metadata: { name },
        status: { addresses: addressesOf(addresses), nodeInfo: nodeInfo as never },
      });
      await nodeClient(name).create(leases, {
        metadata: { name, namespace: "kube-node-lease" },
        spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: formatMicroTime(clock.nowMs()) },
      });
    },
    /**
     * The node writes addresses into the status of its Node; the store accepts an object of an
     * earlier version.
     */
    claim: (name: string, addresses: readonly string[]) =>
      admin.patch(
        nodes,
        { namespace: "", name },
        { type: "merge", body: { status: { addresses: addressesOf(addresses) } } },
        { subresource: "status" },
      ),
    ask: async (client: Client, wanted: Wanted) => {
      const { node, purpose, dnsNames = [], ipAddresses = [] } = wanted;
      const identity = { commonName: `system:node:${node}`, organizations: ["system:nodes"] };
      const { request } = await createSigningRequest({ ...identity, dnsNames, ipAddresses });
      const name = `request-${++asked}`;
      const signer = purpose === "client" ? "kube-apiserver-client-kubelet" : "kubelet-serving";
      const made = await client.create(certificateSigningRequests, {
        metadata: { name },
        spec: {
          request: Buffer.from(request).toString("base64"),
          signerName: `kubernetes.io/${signer}`,
          usages: ["digital signature", `${purpose} auth`],
        },
      });
      return settle(made);
    },
    messagesAbout: async ({ metadata }: CertificateSigningRequest) =>
      (await admin.list<Event>(events)).items
        .filter(({ involvedObject }) => involvedObject.uid === metadata.uid)
        .map(({ message }) => message),
    async [Symbol.asyncDispose]() {
      stop.abort(new Error("the test is over"));
      await Promise.all([serving, managing]);
    },
  };
}
