import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { type EndpointSlice, silentLogger } from "@kintsugi/api";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nftIn } from "../nft/system-nft.ts";
import { planRules } from "../plan/plan-rules.ts";
import { wholeTable } from "../ruleset/transaction.ts";
import { whyNoKernelTests } from "../testing/kernel-tests.ts";
import { aService, aSlice, anEndpoint } from "../testing/service-builders.ts";
import { systemConntrack } from "./conntrack.ts";

// A real UDP flow from a node to a Service whose endpoint changes. The kernel directs an existing
// flow to its previous destination. The test needs root and the program conntrack.
//
//   node 10.1.0.1 ── pod a 10.1.0.2     both answer with their names
//                 └─ pod b 10.1.0.3

const node = `kintsugi-flow-test-${process.pid}`;
const pods = [
  { namespace: `${node}-a`, link: "veth-a", address: "10.1.0.2", name: "a" },
  { namespace: `${node}-b`, link: "veth-b", address: "10.1.0.3", name: "b" },
] as const;
const inNode = ["ip", "netns", "exec", node] as const;
const nft = nftIn([...inNode, "nft"]);
const ip = (...args: string[]) => execFileSync("ip", args, { stdio: ["ignore", "ignore", "pipe"] });
const lacking = whyNoKernelTests({ program: "conntrack", debianPackage: "conntrack" });

beforeEach(({ skip }) => {
  skip(lacking !== undefined, lacking);
  ip("netns", "add", node);
  ip("-n", node, "link", "add", "cni0", "type", "bridge");
  ip("-n", node, "address", "add", "10.1.0.1/24", "dev", "cni0");
  ip("-n", node, "link", "set", "cni0", "up");
  ip("-n", node, "route", "add", "10.96.0.0/16", "dev", "cni0");
  for (const { namespace, link, address } of pods) {
    ip("netns", "add", namespace);
    ip("-n", node, "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", namespace);
    ip("-n", node, "link", "set", link, "master", "cni0", "up");
    ip("-n", namespace, "address", "add", `${address}/24`, "dev", "eth0");
    ip("-n", namespace, "link", "set", "eth0", "up");
  }
});

afterEach(() => {
  if (lacking !== undefined) return;
  for (const { namespace } of pods) ip("netns", "delete", namespace);
  ip("netns", "delete", node);
});

/** Starts a script of Node.js in a namespace, and reads the lines that it prints. */
function started(namespace: string, script: string) {
  const child = spawn("ip", ["netns", "exec", namespace, process.execPath, "-e", script]);
  const lines: string[] = [];
  let text = "";
  child.stdout.on("data", (data) => {
    text += String(data);
    lines.splice(0, lines.length, ...text.trim().split("\n"));
  });
  return {
    lines,
    send: (line: string) => child.stdin.write(`${line}\n`),
    async end() {
      child.kill();
      await once(child, "close");
    },
  };
}

const ports = [{ name: "dns", port: 53, protocol: "UDP" as const }];
const service = aService({ ports });
const leadingTo = (address: string): EndpointSlice =>
  aSlice([anEndpoint(address)], { ports: [{ name: "dns", port: 5353, protocol: "UDP" }] });

function plan(address: string) {
  const proxyNode = { nodeName: "node-1", zone: "", podCidr: "10.1.0.0/24", addresses: ["192.0.2.1"] };
  const observed = { services: [service], slices: [leadingTo(address)], node: proxyNode };
  return planRules(
    { ...observed, cluster: { nodes: [], controlPlane: [] } },
    { masqueradeAll: false, bridgeBypassesRules: false },
  );
}

test("a client that keeps its port moves from a removed endpoint to the new endpoint", async () => {
  const servers = pods.map(({ namespace, name }) =>
    started(
      namespace,
      `const s = require("dgram").createSocket("udp4");
       s.on("message", (m, r) => s.send("${name} " + m, r.port, r.address));
       s.bind(5353, () => console.log("ready"));`,
    ),
  );
  // One socket, and therefore one flow. Each line is a request.
  const client = started(
    node,
    `const s = require("dgram").createSocket("udp4");
     s.on("message", (m) => console.log(String(m)));
     s.bind(40000, "10.1.0.1", () => console.log("ready"));
     require("readline").createInterface({ input: process.stdin }).on("line", (l) => s.send(l, 53, "10.96.0.10"));`,
  );
  const processes = [...servers, client];
  try {
    for (const { lines } of processes) await expect.poll(() => lines, { timeout: 20_000 }).toContain("ready");
    let question = 0;
    const ask = async () => {
      question++;
      client.send(String(question));
      await expect.poll(() => client.lines.at(-1), { timeout: 10_000 }).toMatch(new RegExp(` ${question}$`));
      return client.lines.at(-1)?.split(" ")[0];
    };
    await nft.apply(wholeTable(plan("10.1.0.2").ruleset, await nft.present()).script);
    expect(await ask()).toBe("a");
    const next = plan("10.1.0.3");
    await nft.apply(wholeTable(next.ruleset, await nft.present()).script);
    expect(await ask()).toBe("a");
    await systemConntrack(silentLogger, [...inNode, "conntrack"]).forgetStale(next.udp);
    expect(await ask()).toBe("b");
  } finally {
    for (const each of processes) await each.end();
  }
});
