import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Logger, silentLogger } from "@kintsugi/api";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { expect, onTestFinished, test } from "vitest";
import { CniRecords, type PortRecords } from "./cni-records.ts";
import type { PodPort } from "./pod-port.ts";
import { createPodPortsLoop } from "./pod-ports-loop.ts";

const port = (number: number): PodPort => ({
  link: `veth${number}`,
  mac: `02:00:00:00:00:0${number}`,
  address: `10.1.0.${number}`,
});

function world({ isWatched = true } = {}) {
  const clock = new VirtualClock();
  const scripts: string[] = [];
  const logged: string[] = [];
  const ports: PodPort[] = [];
  const state = { podCidr: undefined as string | undefined, failure: undefined as string | undefined };
  const changed = new Set<() => void>();
  const records: PortRecords = {
    list: async () => [...ports],
    watch(handler) {
      if (!isWatched) return undefined;
      changed.add(handler);
      return () => changed.delete(handler);
    },
  };
  const note = (text: string) => void logged.push(text);
  const log: Logger = { ...silentLogger, info: note, error: note };
  const nft = {
    async apply(script: string) {
      if (state.failure !== undefined) throw new Error(state.failure);
      scripts.push(script);
    },
  };
  const stop = new AbortController();
  const running = createPodPortsLoop({ clock, log, nft, records, podCidr: () => state.podCidr }).run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await running;
    expect(changed.size).toBe(0);
  });
  const add = (number: number) => {
    ports.push(port(number));
    for (const each of changed) each();
  };
  return { clock, scripts, logged, ports, state, add };
}

test("rules wait for the node's pod range, follow the records immediately, and are written when they differ", async () => {
  const { clock, scripts, state, add } = world();
  add(2);
  await clock.advance(1_000);
  expect(scripts).toEqual([]);
  state.podCidr = "10.1.0.0/24";
  await clock.advance(300);
  expect(scripts).toHaveLength(1);
  expect(scripts[0]).toContain('"veth2" . 02:00:00:00:00:02 . 10.1.0.2');
  add(3);
  await clock.advance(20);
  expect(scripts.at(-1)).toContain('"veth3" . 02:00:00:00:00:03 . 10.1.0.3');
  await clock.advance(10 * 60_000);
  expect(scripts).toHaveLength(2);
  await clock.advance(60 * 60_000);
  expect(scripts).toHaveLength(3);
});

test("a kernel that rejects the rules is reported once and tried again", async () => {
  const { clock, scripts, logged, state, add } = world();
  state.podCidr = "10.1.0.0/24";
  state.failure = "Operation not supported";
  add(2);
  await clock.advance(120_000);
  expect([scripts, logged]).toEqual([
    [],
    ["pods can send from addresses of other pods: the bridge's rules cannot be written"],
  ]);
  state.failure = undefined;
  await clock.advance(120_000);
  expect([scripts.length, logged.at(-1)]).toEqual([1, "pods' ports are guarded again"]);
});

test("records are read from their directory, and an incomplete record is read as soon as it is complete", async () => {
  const parent = mkdtempSync(join(tmpdir(), "kintsugi-cni-"));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const directory = join(parent, "results");
  const records = new CniRecords(directory);
  expect(await records.list()).toEqual([]);
  let calls = 0;
  const stop = records.watch(() => calls++);
  const text = (number: number) =>
    JSON.stringify({
      // The runtime passes on a pod's annotations, which its owner controls.
      capabilityArgs: { "io.kubernetes.cri.pod-annotations": { note: '"'.repeat(250_000) } },
      result: {
        interfaces: [{ name: `veth${number}` }, { name: "eth0", mac: port(number).mac, sandbox: "/x" }],
        ips: [{ interface: 1, address: `10.1.0.${number}/24` }],
      },
    });
  writeFileSync(join(directory, "kintsugi-a-eth0"), text(2));
  writeFileSync(join(directory, "kintsugi-b-eth0"), "");
  writeFileSync(join(directory, "cni-loopback-a-lo"), text(9));
  await expect.poll(() => calls).toBeGreaterThan(0);
  expect(await records.list()).toEqual([port(2)]);
  writeFileSync(join(directory, "kintsugi-b-eth0"), text(3));
  expect(await records.list()).toEqual([port(2), port(3)]);
  rmSync(join(directory, "kintsugi-a-eth0"));
  expect(await records.list()).toEqual([port(3)]);
  stop?.();
  writeFileSync(join(parent, "file"), "");
  expect(new CniRecords(join(parent, "file")).watch(() => {})).toBeUndefined();
});

test("a directory that cannot be watched is read each second", async () => {
  const { clock, scripts, state, ports } = world({ isWatched: false });
  state.podCidr = "10.1.0.0/24";
  await clock.advance(300);
  ports.push(port(2));
  await clock.advance(1_100);
  expect(scripts.at(-1)).toContain('"veth2"');
});
