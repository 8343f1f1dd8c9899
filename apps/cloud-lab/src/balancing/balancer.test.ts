import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { silentLogger } from "@kintsugi/api";
import { systemClock } from "@kintsugi/clock";
import type { LoadBalancer } from "@kintsugi/cloud";
import { expect, onTestFinished, test } from "vitest";
import { Balancer } from "./balancer.ts";
import { clientFilter, orderTargets } from "./choose-target.ts";
import { afterCheck, unknownHealth } from "./health.ts";

test("a target is unhealthy after two failures in a row, and healthy after one success", () => {
  const healthy = afterCheck(unknownHealth, true);
  expect(healthy.healthy).toBe(true);
  const once = afterCheck(healthy, false);
  expect(once.healthy).toBe(true);
  expect(afterCheck(afterCheck(once, true), false).healthy).toBe(true);
  expect(afterCheck(once, false).healthy).toBe(false);
});

const targets = ["a", "b", "c"].map((name, index) => ({ name, address: `10.0.0.${index + 1}` }));

test("connections are distributed in turn, and a sticky client moves only when its own target fails", () => {
  const first = (count: number) => orderTargets(targets, { client: "x", count, sticky: false })[0]?.name;
  expect([0, 1, 2, 3].map(first)).toEqual(["a", "b", "c", "a"]);
  for (const client of ["10.1.1.1", "10.1.1.2", "10.1.1.3", "10.1.1.4"]) {
    const [own] = orderTargets(targets, { client, count: 0, sticky: true });
    for (const gone of targets) {
      const rest = targets.filter((target) => target !== gone);
      const [now] = orderTargets(rest, { client, count: 7, sticky: true });
      expect(gone === own || now === own).toBe(true);
    }
  }
});

test("only clients of the ranges may connect, including clients with IPv4-mapped IPv6 addresses", () => {
  const allows = clientFilter(["10.1.0.0/16", "192.0.2.7/32"]);
  expect(["10.1.2.3", "::ffff:10.1.2.3", "192.0.2.7"].every(allows)).toBe(true);
  expect(["10.2.0.1", "::ffff:192.0.2.8"].some(allows)).toBe(false);
  expect(clientFilter([])("203.0.113.9")).toBe(true);
});

interface Node {
  readonly name: string;
  readonly address: string;
  readonly state: { healthy: boolean };
  readonly server: Server;
}

/**
 * Nodes at 127.0.0.2, 127.0.0.3 and so on. One port answers health checks and clients with the
 * node's name.
 */
async function startNodes(count: number): Promise<{ nodes: Node[]; port: number }> {
  let port = 0;
  const nodes: Node[] = [];
  for (let index = 0; index < count; index++) {
    const address = `127.0.0.${index + 2}`;
    const state = { healthy: true };
    const server = createServer((request, response) => {
      response.statusCode = request.url === "/healthz" && !state.healthy ? 503 : 200;
      response.end(address);
    });
    await new Promise<void>((resolve) => server.listen(port, address, resolve));
    port = (server.address() as AddressInfo).port;
    nodes.push({ name: `node-${index}`, address, state, server });
  }
  onTestFinished(() => {
    for (const { server } of nodes) {
      server.closeAllConnections();
      server.close();
    }
  });
  return { nodes, port };
}

function ask(port: number, from?: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port, ...(from !== undefined && { localAddress: from }) });
    let text = "";
    socket.on("data", (chunk) => (text += chunk.toString()));
    socket.on("error", () => {});
    socket.on("close", () => resolve(/127\.0\.0\.\d+$/.exec(text.trim())?.[0] ?? "refused"));
    socket.end("GET / HTTP/1.0\r\n\r\n");
  });
}

async function until(check: () => boolean): Promise<void> {
  for (let tries = 0; tries < 500 && !check(); tries++) await systemClock.sleep(10);
  expect(check()).toBe(true);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function startBalancer(nodes: readonly Node[], nodePort: number, sourceRanges: string[] = []) {
  const port = await freePort();
  const balancer: LoadBalancer = {
    address: "127.0.0.1",
    spec: {
      name: "a",
      description: "default/web",
      ports: [{ protocol: "TCP", port, nodePort }],
      targets: nodes.map(({ name, address }) => ({ name, address })),
      healthCheck: { port: nodePort, path: "/healthz" },
      sourceRanges,
      sticky: false,
      keepsClientAddress: false,
    },
  };
  const options = { checkIntervalMs: 20, checkTimeoutMs: 500 };
  const serving = new Balancer({ clock: systemClock, log: silentLogger }, options, balancer);
  onTestFinished(() => serving.close());
  serving.start();
  return { serving, balancer, port };
}

test("connections are sent only to healthy nodes, and to each node again once it is healthy", async () => {
  const { nodes, port: nodePort } = await startNodes(2);
  const { serving, port } = await startBalancer(nodes, nodePort);
  await until(() => serving.healthyTargets.length === 2);
  expect(new Set(await Promise.all([ask(port), ask(port), ask(port)]))).toEqual(new Set(["127.0.0.2", "127.0.0.3"]));
  const [first] = nodes;
  if (first !== undefined) first.state.healthy = false;
  await until(() => serving.healthyTargets.length === 1);
  expect(new Set(await Promise.all([ask(port), ask(port), ask(port)]))).toEqual(new Set(["127.0.0.3"]));
  if (first !== undefined) first.state.healthy = true;
  await until(() => serving.healthyTargets.length === 2);
});

test("a node that refuses the connection does not affect the client before a check has noticed", async () => {
  const { nodes, port: nodePort } = await startNodes(2);
  const { serving, port } = await startBalancer(nodes, nodePort);
  await until(() => serving.healthyTargets.length === 2);
  nodes[0]?.server.closeAllConnections();
  await new Promise((resolve) => nodes[0]?.server.close(resolve));
  for (let round = 0; round < 4; round++) expect(await ask(port)).toBe("127.0.0.3");
});

test("without a healthy node, and from outside the ranges, connections are closed", async () => {
  const { nodes, port: nodePort } = await startNodes(1);
  const { serving, balancer, port } = await startBalancer(nodes, nodePort, ["192.0.2.0/24"]);
  await until(() => serving.healthyTargets.length === 1);
  expect(await ask(port)).toBe("refused");
  serving.change({ ...balancer, spec: { ...balancer.spec, sourceRanges: [] } });
  expect(await ask(port)).toBe("127.0.0.2");
  serving.change({ ...balancer, spec: { ...balancer.spec, sourceRanges: [], targets: [] } });
  expect(await ask(port)).toBe("refused");
});

test("a port that the owner removes is closed", async () => {
  const { nodes, port: nodePort } = await startNodes(1);
  const { serving, balancer, port } = await startBalancer(nodes, nodePort);
  await until(() => serving.healthyTargets.length === 1);
  const other = await freePort();
  serving.change({ ...balancer, spec: { ...balancer.spec, ports: [{ protocol: "TCP", port: other, nodePort }] } });
  await systemClock.sleep(50);
  expect(await ask(other)).toBe("127.0.0.2");
  expect(await ask(port)).toBe("refused");
});

test("a single client gets half of the connections and leaves the rest to other clients", async () => {
  const { nodes, port: nodePort } = await startNodes(1);
  const { serving, port } = await startBalancer(nodes, nodePort);
  await until(() => serving.healthyTargets.length === 1);
  const held: Socket[] = [];
  onTestFinished(() => {
    for (const socket of held) socket.destroy();
  });
  let ended = 0;
  for (let count = 0; count < 1_010; count++) {
    const socket = connect({ host: "127.0.0.1", port });
    socket.on("error", () => {});
    socket.on("close", () => ended++);
    held.push(socket);
  }
  await until(() => ended === 10);
  expect(await ask(port)).toBe("refused");
  expect(await ask(port, "127.0.0.77")).toBe("127.0.0.2");
});
