import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { silentLogger } from "@kintsugi/api";
import { findProgram, runCommand } from "@kintsugi/daemon";
import { expect, onTestFinished, test } from "vitest";
import { PacketFilter } from "./packet-filter.ts";
import { type PassedBalancer, passedPart } from "./passed-ports.ts";
import { passingScript } from "./passing-script.ts";

const options = { table: "kintsugi-cloud-test", clusterNetwork: "10.64.0.0/16" };
const target = (index: number) => ({ name: `node-${index}`, address: `10.64.0.1${index}` });
const aBalancer = (changes: Partial<PassedBalancer> = {}): PassedBalancer => ({
  address: "10.64.0.220",
  ports: [
    { protocol: "TCP", port: 80, nodePort: 30_080 },
    { protocol: "UDP", port: 53, nodePort: 30_053 },
  ],
  sourceRanges: [],
  sticky: false,
  healthy: [target(1), target(2)],
  unhealthy: [],
  ...changes,
});

test("the kernel forwards TCP if clients keep their addresses, and always forwards UDP", () => {
  const spec = {
    name: "a",
    description: "default/web",
    ports: aBalancer().ports,
    targets: [target(1), target(2)],
    healthCheck: { port: 10_256, path: "/healthz" },
    sourceRanges: [],
    sticky: false,
    keepsClientAddress: false,
  };
  const ports = (keepsClientAddress: boolean, only = spec.ports) =>
    passedPart({ address: "10.64.0.220", spec: { ...spec, ports: only, keepsClientAddress } }, [target(1)])?.ports.map(
      ({ protocol }) => protocol,
    );
  expect(ports(false)).toEqual(["UDP"]);
  expect(ports(true)).toEqual(["TCP", "UDP"]);
  expect(ports(false, spec.ports.slice(0, 1))).toBeUndefined();
  expect(passedPart({ address: "10.64.0.220", spec }, [target(1)])?.unhealthy).toEqual([target(2)]);
});

test("when a target is removed, only that target's clients move", () => {
  const slotsOf = (healthy: PassedBalancer["healthy"]) =>
    [...passingScript([aBalancer({ sticky: true, healthy })], options).matchAll(/(\d+) : (10\.64\.0\.\d+)/g)]
      .slice(0, 64)
      .map(([, , address]) => address);
  const [before, after] = [slotsOf([1, 2, 3].map(target)), slotsOf([1, 3].map(target))];
  expect(new Set(before).size).toBe(3);
  expect(before.every((address, slot) => address === target(2).address || after[slot] === address)).toBe(true);
  expect(new Set(after)).toEqual(new Set([target(1).address, target(3).address]));
});

const lacking =
  process.getuid?.() !== 0 || ["nft", "ip", "unshare"].some((each) => findProgram(each, "") === undefined);

const skipped = lacking ? " (skipped: it needs root and nftables)" : "";

/** A machine with its own network, and a cable to the host of this test. */
class Machine {
  readonly process: ChildProcess;

  constructor() {
    this.process = spawn("unshare", ["--net", "sleep", "60"]);
    onTestFinished(() => void this.process.kill());
  }

  get pid(): string {
    return String(this.process.pid);
  }

  /** A program in the network of this machine. */
  run(...command: string[]): Promise<string> {
    return runCommand("nsenter", ["-t", this.pid, "-n", ...command]);
  }

  start(...command: string[]): ChildProcess {
    const child = spawn("nsenter", ["-t", this.pid, "-n", ...command]);
    onTestFinished(() => void child.kill());
    return child;
  }
}

const server = (name: string) => `
  require("net").createServer((client) => {
    client.on("error", () => {});
    client.on("data", () => client.write("${name} " + client.remoteAddress + "\\n"));
  }).listen(30080, "0.0.0.0", () => console.log("serves"));
  const udp = require("dgram").createSocket("udp4");
  udp.on("message", (_, from) => udp.send("${name} " + from.address, from.port, from.address));
  udp.bind(30053);`;

/** Sends a request by TCP and a request by UDP; prints "answer answer". */
const client = `
  const ask = (make) => new Promise((resolve) => { setTimeout(() => resolve("silence"), 1500).unref(); make(resolve); });
  const tcp = ask((resolve) => {
    const socket = require("net").connect(80, "10.64.0.220", () => socket.write("?"));
    socket.on("data", (data) => { resolve(String(data).trim()); socket.destroy(); });
    socket.on("error", (error) => resolve(error.code));
  });
  const udp = ask((resolve) => {
    const socket = require("dgram").createSocket("udp4");
    socket.on("message", (data) => { resolve(String(data)); socket.close(); });
    socket.on("error", (error) => resolve(error.code));
    socket.connect(53, "10.64.0.220", () => socket.send("?"));
  });
  Promise.all([tcp, udp]).then((answers) => { console.log(answers.join(", ")); process.exit(); });`;

/** A host with two nodes in the cluster's network, and a client outside it. */
async function startNetwork() {
  const [host, outside] = [new Machine(), new Machine()];
  const nodes: readonly [Machine, Machine] = [new Machine(), new Machine()];
  for (const { pid } of [host, outside, ...nodes]) await untilUnshared(pid);
  await host.run("sh", "-c", "ip link set lo up; echo 1 > /proc/sys/net/ipv4/ip_forward");
  await host.run("sh", "-ec", "ip link add br0 type bridge; ip addr add 10.64.0.1/24 dev br0; ip link set br0 up");
  await host.run("ip", "addr", "add", "10.64.0.220/32", "dev", "br0");
  const plug = async (machine: Machine, { link, own }: { link: string; own: string }) => {
    await host.run("ip", "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", machine.pid);
    await machine.run("sh", "-ec", `ip link set lo up; ip addr add ${own}/24 dev eth0; ip link set eth0 up`);
    await host.run("ip", "link", "set", link, "up");
  };
  for (const [index, node] of nodes.entries()) {
    await plug(node, { link: `n${index}`, own: target(index + 1).address });
    await host.run("ip", "link", "set", `n${index}`, "master", "br0");
    await node.run("ip", "route", "add", "default", "via", "10.64.0.1");
    await once(node.start(process.execPath, "-e", server(`node-${index + 1}`)).stdout ?? node.process, "data");
  }
  await plug(outside, { link: "out", own: "192.0.2.2" });
  await host.run("ip", "addr", "add", "192.0.2.1/24", "dev", "out");
  await outside.run("ip", "route", "add", "default", "via", "192.0.2.1");
  const run = (program: string, args: readonly string[], input?: string) =>
    runCommand("nsenter", ["-t", host.pid, "-n", program, ...args], input === undefined ? {} : { input });
  const filter = new PacketFilter({ log: silentLogger, run }, options);
  const ask = async (from: Machine) => (await from.run(process.execPath, "-e", client)).trim();
  return { host, outside, nodes, filter, ask };
}

async function untilUnshared(pid: string): Promise<void> {
  const own = await runCommand("readlink", ["/proc/self/ns/net"]);
  for (let tries = 0; tries < 200; tries++) if ((await runCommand("readlink", [`/proc/${pid}/ns/net`])) !== own) return;
  throw new Error(`process ${pid} has no network of its own`);
}

test.skipIf(lacking)(`packets reach healthy nodes with their client's address, by TCP and UDP${skipped}`, async () => {
  const { outside, nodes, host, filter, ask } = await startNetwork();
  expect(await ask(outside)).toBe("ECONNREFUSED, ECONNREFUSED");
  await filter.apply([aBalancer({ healthy: [target(2)], unhealthy: [target(1)] })]);
  expect(await ask(outside)).toBe("node-2 192.0.2.2, node-2 192.0.2.2");
  // The answer of one node to another would not pass this host.
  expect(await ask(nodes[0])).toBe("node-2 10.64.0.1, node-2 10.64.0.1");
  expect(await ask(host)).toMatch(/^node-2 \S+, node-2 \S+$/);

  await filter.apply([aBalancer({ sourceRanges: ["198.51.100.0/24", "192.0.2.0/30"] })]);
  expect(await ask(outside)).toMatch(/^node-\d 192\.0\.2\.2, node-\d 192\.0\.2\.2$/);
  await filter.apply([aBalancer({ sourceRanges: ["198.51.100.0/24"] })]);
  expect(await ask(outside)).toBe("ECONNREFUSED, ECONNREFUSED");

  await filter.apply([aBalancer({ sticky: true })]);
  const answers = await Promise.all([ask(outside), ask(outside), ask(outside)]);
  expect(new Set(answers).size).toBe(1);
  await filter.apply([]);
  expect(await ask(outside)).toBe("ECONNREFUSED, ECONNREFUSED");
});

test.skipIf(lacking)(
  `a connection is closed when its node fails its checks, and continues when the node is removed${skipped}`,
  async () => {
    const { outside, filter } = await startNetwork();
    await filter.apply([aBalancer({ healthy: [target(1)] })]);
    const talker = outside.start(
      process.execPath,
      "-e",
      `const socket = require("net").connect(80, "10.64.0.220", () => setInterval(() => socket.write("?"), 50));
     socket.on("data", (data) => process.stdout.write(data));
     socket.on("error", (error) => { console.log(error.code); process.exit(); });`,
    );
    let heard = "";
    talker.stdout?.on("data", (data: Buffer) => (heard += data.toString()));
    const next = async (what: string) => {
      heard = "";
      while (!heard.includes(what)) await once(talker.stdout ?? talker, "data");
    };
    await next("node-1 192.0.2.2");
    await filter.apply([aBalancer({ healthy: [target(2)] })]);
    await next("node-1 192.0.2.2");
    await filter.apply([aBalancer({ healthy: [target(2)], unhealthy: [target(1)] })]);
    while (!heard.includes("ECONNRESET")) await once(talker.stdout ?? talker, "data");
    expect(heard).toMatch(/ECONNRESET\n$/);
  },
  // TCP would time out after half a minute without the reset.
  20_000,
);
