import { silentLogger } from "@kintsugi/api";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { type ContainerRuntime, RuntimeError } from "@kintsugi/cri";
import { expect, test } from "vitest";
import { RuntimeStatsReader } from "./runtime-stats.ts";

const never = () => new Promise<never>(() => {});

/** A runtime with three pods. One pod hangs, and so does every answer about all pods. */
function reader(hanging: string, over: Partial<ContainerRuntime> = {}) {
  const clock = new VirtualClock();
  const ids = ["s1", "s2", "s3"];
  const of = (id: string | undefined) => {
    if (id === undefined && hanging !== "") return never();
    if (id === hanging) return never();
    return Promise.resolve(ids.filter((each) => id === undefined || each === id).map((each) => ({ sandboxId: each })));
  };
  const runtime = {
    imageFsInfo: () => Promise.resolve([]),
    listPodSandboxes: () => Promise.resolve(ids.map((id) => ({ id }))),
    listContainers: () => Promise.resolve([]),
    listContainerStats: (filter: { sandboxId?: string }) => of(filter.sandboxId),
    listPodSandboxStats: (filter: { id?: string }) => of(filter.id),
    ...over,
  } as unknown as ContainerRuntime;
  const stats = new RuntimeStatsReader({ runtime, clock, log: silentLogger });
  return { clock, read: () => stats.read(undefined) };
}

test("a pod whose statistics hang loses only its own figures", async () => {
  const { clock, read } = reader("s2");
  const reading = read();
  await clock.advance(10_000);
  const { containerStats, sandboxStats, unanswered } = await reading;
  expect([...unanswered]).toEqual(["s2"]);
  expect(containerStats).toEqual([{ sandboxId: "s1" }, { sandboxId: "s3" }]);
  expect(sandboxStats).toEqual([{ sandboxId: "s1" }, { sandboxId: "s3" }]);
});

test("a runtime that answers in time is queried once", async () => {
  const { read } = reader("");
  const { containerStats, unanswered } = await read();
  expect([containerStats.length, unanswered.size]).toEqual([3, 0]);
});

test("a runtime that does not even list its pods is an error within its time limit", async () => {
  const { clock, read } = reader("", { listPodSandboxes: never });
  const reading = read().catch((error: unknown) => error);
  await clock.advance(10_000);
  expect(await reading).toBeInstanceOf(RuntimeError);
});

test("a runtime without sandbox statistics is not queried for them again", async () => {
  let calls = 0;
  const unimplemented = () => {
    calls++;
    return Promise.reject(new RuntimeError("unimplemented", "too old"));
  };
  const { read } = reader("", { listPodSandboxStats: unimplemented });
  expect((await read()).sandboxStats).toEqual([]);
  await read();
  expect(calls).toBe(1);
});
