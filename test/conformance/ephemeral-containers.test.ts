import { expect } from "vitest";
import { type AreaTest, describeArea } from "./area.ts";
import { type ConformanceClient, eventually, expectStatus, type Json } from "./conformance-cluster.ts";

/* oxlint-disable vitest/no-standalone-expect -- describeArea makes tests of these functions. */

async function runPod(api: ConformanceClient): Promise<string> {
  const pods = `/api/v1/namespaces/${await api.namespace("ephemeral")}/pods`;
  const spec = { containers: [{ name: "test-container-1", image: "busybox", command: ["sleep", "10000"] }] };
  await expectStatus(201, api.post(pods, { apiVersion: "v1", kind: "Pod", metadata: { name: "target" }, spec }));
  await eventually(
    () => expectStatus(200, api.get(`${pods}/target`)),
    ({ status }) => status?.phase === "Running",
  );
  return `${pods}/target`;
}

const aDebugger = (name: string) => ({
  name,
  image: "busybox",
  command: ["sh", "-c", "echo marco; echo polo; sleep 3600"],
  stdin: true,
  tty: true,
});

/** Waits until an ephemeral container runs and has printed its text. */
async function answers(api: ConformanceClient, path: string, name: string): Promise<void> {
  await eventually(
    () => expectStatus(200, api.get(path)),
    ({ status }) => status.ephemeralContainerStatuses?.some((each: Json) => each.name === name && each.state.running),
  );
  const log = await eventually(
    () => api.get(`${path}/log?container=${name}`),
    ({ status, json }) => status === 200 && String(json).includes("polo"),
  );
  expect(log.json).toContain("marco");
}

const tests: AreaTest[] = [
  {
    tier: "C",
    codename:
      "[sig-node] Ephemeral Containers will start an ephemeral container in an existing pod [Conformance] [NodeConformance]",
    check: async (api) => {
      const path = await runPod(api);
      const patch = { spec: { ephemeralContainers: [aDebugger("debugger")] } };
      const patched = await expectStatus(200, api.patch(`${path}/ephemeralcontainers`, patch, "strategic"));
      expect(patched.spec.ephemeralContainers.map(({ name }: Json) => name)).toEqual(["debugger"]);
      await answers(api, path, "debugger");
    },
  },
  {
    tier: "C",
    codename:
      "[sig-node] Ephemeral Containers should update the ephemeral containers in an existing pod [Conformance] [NodeConformance]",
    check: async (api) => {
      const path = await runPod(api);
      const update = (names: readonly string[]) =>
        eventually(
          async () => {
            const pod = await expectStatus(200, api.get(`${path}/ephemeralcontainers`));
            pod.spec.ephemeralContainers = names.map(aDebugger);
            return api.put(`${path}/ephemeralcontainers`, pod);
          },
          ({ status }) => status === 200,
        );
      await update(["debugger1"]);
      await answers(api, path, "debugger1");
      await update(["debugger1", "debugger2"]);
      await answers(api, path, "debugger2");
      const pod = await expectStatus(200, api.get(path));
      expect(pod.spec.ephemeralContainers.map(({ name }: Json) => name)).toEqual(["debugger1", "debugger2"]);
    },
  },
];

describeArea(tests);
