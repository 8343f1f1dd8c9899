import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
import { systemClock } from "@kintsugi/clock";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { whyNoKernelTests } from "../testing/kernel-tests.ts";
import { nftIn } from "../nft/system-nft.ts";
import type { PodPort } from "./pod-port.ts";
import { portScript } from "./port-script.ts";

// Real packets between two pods and their node: three network namespaces, joined by a bridge as the
// CNI plugin creates it. They need root.
//
//   node     cni0 10.1.0.1 ── veth-a ── pod a 10.1.0.2, which forges
//                          └─ veth-b ── pod b 10.1.0.3, which listens

const run = promisify(execFile);
const node = `kintsugi-ports-test-${process.pid}`;
const [podA, podB] = [`${node}-a`, `${node}-b`];
const nft = nftIn(["ip", "netns", "exec", node, "nft"]);
const ip = (...args: string[]) => execFileSync("ip", args, { stdio: ["ignore", "pipe", "pipe"], encoding: "utf8" });

const macs = { a: "02:00:00:00:00:0a", b: "02:00:00:00:00:0b" };
const ports: PodPort[] = [
  { link: "veth-a", mac: macs.a, address: "10.1.0.2" },
  { link: "veth-b", mac: macs.b, address: "10.1.0.3" },
];

const lacking = whyNoKernelTests({ program: "nft", debianPackage: "nftables" });

beforeEach(({ skip }) => {
  skip(lacking !== undefined, lacking);
  for (const namespace of [node, podA, podB]) ip("netns", "add", namespace);
  ip("-n", node, "link", "add", "cni0", "type", "bridge");
  for (const [namespace, letter, address] of [
    [podA, "a", "10.1.0.2/24"],
    [podB, "b", "10.1.0.3/24"],
  ] as const) {
    const link = `veth-${letter}`;
    ip("-n", node, "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", namespace);
    ip("-n", namespace, "link", "set", "eth0", "address", macs[letter]);
    ip("-n", node, "link", "set", link, "master", "cni0", "up");
    ip("-n", namespace, "address", "add", address, "dev", "eth0");
    ip("-n", namespace, "link", "set", "eth0", "up");
    ip("-n", namespace, "link", "set", "lo", "up");
  }
  ip("-n", node, "address", "add", "10.1.0.1/24", "dev", "cni0");
  ip("-n", node, "link", "set", "cni0", "up");
});

afterEach(() => {
  if (lacking !== undefined) return;
  for (const namespace of [podA, podB, node]) ip("netns", "delete", namespace);
});

const inside = (namespace: string, script: string) =>
  ["netns", "exec", namespace, process.execPath, "-e", script] as const;

/** The last datagram of each listening period; no rule applies to its sender. */
const lastTo = {
  [podB]: { from: "10.1.0.1", namespace: node, to: "10.1.0.3" },
  [node]: { from: "10.1.0.3", namespace: podB, to: "10.1.0.1" },
};

/**
 * Resolves with the sources of the datagrams that arrive at the listener before the last datagram,
 * which is sent after all others.
 */
async function received(listener: string, send: () => Promise<unknown>) {
  const listening = spawn("ip", [
    ...inside(
      listener,
      `const s = require("dgram").createSocket("udp6");
       s.on("message", (m, r) => console.log(r.address.split("%")[0].replace("::ffff:", "")));
       s.bind(9999, () => console.log("listening"));`,
    ),
  ]);
  let lines: string[] = [];
  let text = "";
  listening.stdout.on("data", (data) => (lines = (text += String(data)).trim().split("\n")));
  try {
    await expect.poll(() => lines, { timeout: 20_000 }).toContain("listening");
    await send();
    const last = lastTo[listener] as (typeof lastTo)[string];
    await sendFrom(last.namespace, last.from, last.to);
    await expect.poll(() => lines, { timeout: 20_000 }).toContain(last.from);
    return lines.slice(1, lines.indexOf(last.from));
  } finally {
    listening.kill();
    await once(listening, "close");
  }
}

/** Sends one datagram from one of the sender's addresses. */
const sendFrom = (namespace: string, from: string, to: string, type = "udp4") =>
  run("ip", [
    ...inside(
      namespace,
      `const s = require("dgram").createSocket("${type}");
       s.bind({ address: "${from}" }, () => s.send("x", 9999, "${to}", (e) => s.close()));`,
    ),
  ]);

/** Adds an address to a pod as its root could. Packets from this address are forged. */
const forge = (address: string) => ip("-n", podA, "address", "add", address, "dev", "eth0", "nodad");

describe("a pod sends from its own address alone", () => {
  test("to another pod and to its node: a datagram with another source is dropped, and with its own source it arrives", async () => {
    forge("10.1.0.7/24");
    const both = async (to: string) => {
      // The first datagram resolves the receiver's MAC.
      await sendFrom(podA, "10.1.0.2", to);
      await sendFrom(podA, "10.1.0.7", to);
    };
    expect(await received(podB, () => both("10.1.0.3"))).toEqual(["10.1.0.2", "10.1.0.7"]);
    await nft.apply(portScript(ports));
    expect(await received(podB, () => both("10.1.0.3"))).toEqual(["10.1.0.2"]);
    expect(await received(node, () => both("10.1.0.1"))).toEqual(["10.1.0.2"]);
  });

  test("with its own MAC: the bridge does not learn another pod's address from it", async () => {
    await nft.apply(portScript(ports));
    ip("-n", podA, "link", "set", "eth0", "address", macs.b);
    expect(await received(podB, () => sendFrom(podA, "10.1.0.2", "10.1.0.3"))).toEqual([]);
    const learned = execFileSync("bridge", ["-n", node, "fdb", "show", "br", "cni0"], { encoding: "utf8" });
    expect(learned.split("\n").filter((line) => line.startsWith(`${macs.b} dev veth-a`))).toEqual([]);
  });

  test("and does not answer an ARP query for another pod's address", async () => {
    // The pod uses the address of b, which is off; the node would send b's packets to it.
    ip("-n", node, "link", "set", "veth-b", "down");
    forge("10.1.0.3/24");
    const resolved = async () => {
      ip("-n", node, "neigh", "flush", "dev", "cni0");
      await sendFrom(node, "10.1.0.1", "10.1.0.3");
      await systemClock.sleep(300);
      return ip("-n", node, "neigh", "show", "10.1.0.3", "dev", "cni0");
    };
    expect(await resolved()).toContain(macs.a);
    await nft.apply(portScript(ports));
    expect(await resolved()).not.toContain(macs.a);
    ip("-n", node, "link", "set", "veth-b", "up");
    expect(await resolved()).toContain(macs.b);
  });
});

test("frames of protocols other than IPv4 and ARP are dropped: IPv6 between pods by link-local addresses", async () => {
  ip("-n", podB, "address", "add", "fe80::b/64", "dev", "eth0", "nodad");
  forge("fe80::a/64");
  const send = () => sendFrom(podA, "fe80::a%eth0", "fe80::b%eth0", "udp6");
  expect(await received(podB, send)).toEqual(["fe80::a"]);
  await nft.apply(portScript(ports));
  ip("-n", podB, "neigh", "flush", "dev", "eth0");
  expect(await received(podB, send)).toEqual([]);
});

test("the table follows the pods: it is replaced as a whole, and is removed with the last pod", async () => {
  await nft.apply(portScript(ports));
  await nft.apply(portScript(ports.slice(1)));
  const listed = () => execFileSync("ip", ["netns", "exec", node, "nft", "list", "ruleset"], { encoding: "utf8" });
  expect(listed()).not.toContain("veth-a");
  await nft.apply(portScript([]));
  expect(listed()).toBe("");
});
