import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newestKubectl, sayWhyNot, whyNoClusters } from "../support/host-abilities.ts";
import { type LabCluster, startLabCluster } from "../support/lab-cluster.ts";
import { eventually } from "../support/run-program.ts";

const lacking =
  whyNoClusters() ?? (newestKubectl() === undefined ? "there is no kubectl; name one in KUBECTL" : undefined);

describe.skipIf(sayWhyNot("pod shapes", lacking))("a pod on a real node", () => {
  let cluster: LabCluster;
  const pod = (name: string) => cluster.get("pod", name);
  const container = async (name: string) => (await pod(name)).status.containerStatuses?.[0];
  const runs = (name: string) =>
    eventually(`${name} runs`, async () => (await container(name))?.state.running !== undefined);
  const apply = (name: string, spec: string) =>
    cluster.apply(
      `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}}\nspec:\n  terminationGracePeriodSeconds: 1\n${spec}`,
    );
  /** One line of a container: its name, what it runs, and further fields. */
  const c = (name: string, command: string, more = "") =>
    `  - {name: ${name}, image: "busybox:1.36", command: [sh, -c, ${JSON.stringify(command)}]${more}}\n`;
  const logs = async (name: string, wanted: RegExp, ...args: string[]) =>
    eventually(`${wanted} in the log of ${name}`, async () => {
      const text = await cluster.kubectl("logs", name, ...args);
      return wanted.test(text) ? text : undefined;
    });

  beforeAll(async () => {
    cluster = await startLabCluster({ name: "shapes", nodes: 1 });
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  describe("that is resized", () => {
    const limit = "cat /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory.max 2>/dev/null";
    const resize = (name: string, resources: object) =>
      cluster.kubectl(
        "patch",
        "pod",
        name,
        "--subresource",
        "resize",
        "-p",
        JSON.stringify({ spec: { containers: [{ name: "c", resources }] } }),
      );

    test("gets more memory while it runs, also over a restart of its kubelet, and is refused what nobody has", async () => {
      const resources = ", resources: {requests: {cpu: 10m, memory: 16Mi}, limits: {memory: 32Mi}}";
      await apply("resized", `  containers:\n${c("c", `while true; do ${limit}; sleep 0.3; done`, resources)}`);
      await logs("resized", /^33554432$/m);
      await resize("resized", { limits: { memory: "64Mi" } });
      await logs("resized", /^67108864$/m);
      const given = await eventually("the status", async () => {
        const status = await container("resized");
        return JSON.stringify(status).includes('"limits":{"memory":"64Mi"}') ? status : undefined;
      });
      expect(given).toMatchObject({ restartCount: 0, allocatedResources: { cpu: "10m", memory: "16Mi" } });
      await cluster.kintsugi("node", "stop-kubelet", "node-1");
      await cluster.kintsugi("node", "start-kubelet", "node-1");
      await resize("resized", { requests: { cpu: "1000" } });
      const pending = await eventually("the refusal", async () =>
        (await pod("resized")).status.conditions?.find(({ type }) => type === "PodResizePending"),
      );
      expect(pending).toMatchObject({ status: "True", reason: "Infeasible" });
      expect(pending.message).toMatch(/^Node didn't have enough capacity: cpu, requested: 1000000, capacity: \d+$/);
      expect(await container("resized")).toMatchObject({ restartCount: 0, allocatedResources: { cpu: "10m" } });
      expect((await cluster.kubectl("logs", "resized", "--tail=1")).trim()).toBe("67108864");
    });

    test("is restarted where its policy says so", async () => {
      const policy =
        ", resizePolicy: [{resourceName: memory, restartPolicy: RestartContainer}], resources: {requests: {cpu: 10m}, limits: {memory: 64Mi}}";
      await apply("restarted", `  containers:\n${c("c", `${limit}; sleep 1d`, policy)}`);
      await runs("restarted");
      await resize("restarted", { requests: { memory: "32Mi" }, limits: { memory: "32Mi" } });
      await eventually("the restart", async () => (await container("restarted"))?.restartCount === 1);
      await logs("restarted", /^33554432$/m);
      expect(await cluster.kubectl("get", "events", "--field-selector", "involvedObject.name=restarted")).toMatch(
        /Container c resize requires restart, will be restarted/,
      );
    });
  });
});
