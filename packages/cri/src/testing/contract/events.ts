import { describe, expect, test } from "vitest";
import type { RuntimeEvent } from "../../container-runtime.ts";
import { eventually, type RuntimeContractSubject } from "./contract-pods.ts";
import type { ContractRun } from "./contract-run.ts";

/** The contract on events. */
export function describeEvents(contract: ContractRun): void {
  describe("the events", () => {
    test("report changes of containers and sandboxes within a second, and nothing about commands in them", async () => {
      await using events = await follow(contract.subject);
      const pod = await contract.pods.start();
      const id = await pod.run("main", "sleep 1; exit 3");
      await contract.runtime.execSync(id, ["true"], 5);
      const status = await pod.ended(id);
      const stopped = await eventually(contract.subject, () => events.find("stopped", id), 1000);
      expect(stopped).toMatchObject({ exitCode: 3 });
      expect(Math.abs(stopped.atMs - status.finishedAtMs)).toBeLessThan(1000);
      await contract.runtime.removePodSandbox(pod.sandboxId);
      await eventually(contract.subject, () => events.find("deleted", pod.sandboxId), 1000);
      const of = (wanted: string) =>
        events.seen.flatMap((event) =>
          event.type !== "connected" && event.containerId === wanted ? [event.type] : [],
        );
      expect(of(id)).toEqual(["created", "started", "stopped", "deleted"]);
      expect(of(pod.sandboxId)).toEqual(["created", "started", "stopped", "deleted"]);
    });

    test("report that a container was OOM-killed", async () => {
      await using events = await follow(contract.subject);
      const pod = await contract.pods.start();
      const id = await pod.run("main", "tail /dev/zero", { resources: { memoryLimitBytes: 32 * 1024 * 1024 } });
      expect(await eventually(contract.subject, () => events.find("stopped", id))).toMatchObject({ exitCode: 137 });
      if (contract.subject.tellsOomKills) await eventually(contract.subject, () => events.find("oom", id), 1000);
    });

    test("begin with connected, reach every subscriber, and end on abort", async () => {
      const [first, second] = [await follow(contract.subject), await follow(contract.subject)];
      const pod = await contract.pods.start();
      const told = () => [first, second].filter((events) => events.find("started", pod.sandboxId)).length;
      const wanted = contract.subject.tellsEverySubscriber ? 2 : 1;
      await eventually(contract.subject, () => (told() >= wanted ? true : undefined), 1000);
      expect(told()).toBe(wanted);
      for (const events of [first, second]) {
        expect(events.seen.map(({ type }) => type).indexOf("connected")).toBe(0);
        expect(events.seen.filter(({ type }) => type === "connected")).toHaveLength(1);
        await events[Symbol.asyncDispose]();
      }
    });
  });
}

/** Reads events from the moment that the stream is open. */
async function follow(subject: RuntimeContractSubject) {
  const seen: RuntimeEvent[] = [];
  const controller = new AbortController();
  const reading = (async () => {
    for await (const event of subject.runtime.events(controller.signal)) seen.push(event);
  })();
  reading.catch(() => {});
  await eventually(subject, () => seen[0]);
  return {
    seen,
    find: (type: "stopped" | "started" | "oom" | "deleted", containerId: string) =>
      seen.find((event) => event.type === type && event.containerId === containerId) as
        | Exclude<RuntimeEvent, { type: "connected" }>
        | undefined,
    async [Symbol.asyncDispose]() {
      controller.abort();
      await reading;
    },
  };
}
