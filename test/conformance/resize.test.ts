import { expect } from "vitest";
import { type AreaTest, describeArea } from "./area.ts";
import { type ConformanceClient, eventually, expectStatus, type Json } from "./conformance-cluster.ts";

/* oxlint-disable vitest/no-standalone-expect -- describeArea makes tests of these functions. */

// Resizes of running pods, in the API and in the kubelet. The kernel settings are tested on a real
// node, in test/slow/conformance.

/** The resources of one container: requests and limits, of CPU and memory. */
interface Wanted {
  readonly cpu?: string;
  readonly cpuLimit?: string;
  readonly memory?: string;
  readonly memoryLimit?: string;
}

const guaranteed = (cpu: string, memory: string): Wanted => ({ cpu, cpuLimit: cpu, memory, memoryLimit: memory });
const present = (values: Json): Json =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

function resourcesOf({ cpu, cpuLimit, memory, memoryLimit }: Wanted): Json {
  const requests = present({ cpu, memory });
  const limits = present({ cpu: cpuLimit, memory: memoryLimit });
  return { requests, ...(Object.keys(limits).length > 0 && { limits }) };
}

const nameOf = (index: number) => `c${index + 1}`;

/** A running pod with these resources. */
async function runPod(api: ConformanceClient, containers: readonly Wanted[]): Promise<string> {
  const pods = `/api/v1/namespaces/${await api.namespace("resize")}/pods`;
  const spec = {
    restartPolicy: "OnFailure",
    containers: containers.map((wanted, index) => ({
      name: nameOf(index),
      image: "example.com/server",
      resources: resourcesOf(wanted),
    })),
  };
  await expectStatus(201, api.post(pods, { apiVersion: "v1", kind: "Pod", metadata: { name: "resized" }, spec }));
  const path = `${pods}/resized`;
  await hasResources(api, path, containers);
  return path;
}

/**
 * Waits until spec and status have the resources, the resize is complete, and nothing has
 * restarted.
 */
async function hasResources(api: ConformanceClient, path: string, containers: readonly Wanted[]): Promise<Json> {
  const inStatus = (status: Json, { requests, limits }: Json) =>
    JSON.stringify(sorted(status?.resources?.requests)) === JSON.stringify(sorted(requests)) &&
    JSON.stringify(sorted(status?.resources?.limits)) === JSON.stringify(sorted(limits)) &&
    JSON.stringify(sorted(status?.allocatedResources)) === JSON.stringify(sorted(requests));
  const pod = await eventually(
    () => expectStatus(200, api.get(path)),
    ({ metadata, status }) =>
      status?.phase === "Running" &&
      status.observedGeneration === metadata.generation &&
      !status.conditions.some(({ type }: Json) => type.startsWith("PodResize")) &&
      containers.every((wanted, index) =>
        inStatus(
          status.containerStatuses.find(({ name }: Json) => name === nameOf(index)),
          resourcesOf(wanted),
        ),
      ),
  );
  expect(pod.spec.containers.map(({ resources }: Json) => resources)).toEqual(containers.map(resourcesOf));
  expect(pod.status.containerStatuses.map(({ restartCount }: Json) => restartCount ?? 0)).toEqual(
    containers.map(() => 0),
  );
  return pod;
}

const sorted = (amounts: Json = {}) => Object.entries(amounts).toSorted(([a], [b]) => (a < b ? -1 : 1));

async function resize(api: ConformanceClient, path: string, containers: readonly Wanted[]): Promise<void> {
  const change = containers.map((wanted, index) => ({ name: nameOf(index), resources: resourcesOf(wanted) }));
  await expectStatus(200, api.patch(`${path}/resize`, { spec: { containers: change } }, "strategic"));
  await hasResources(api, path, containers);
}

/** Resizes a pod, and if no request or limit was added, back again. */
const patchAndRollBack =
  (before: readonly Wanted[], after: readonly Wanted[], { rollsBack = true } = {}): AreaTest["check"] =>
  async (api) => {
    const path = await runPod(api, before);
    await resize(api, path, after);
    if (rollsBack) await resize(api, path, before);
  };

const test = (codename: string, check: AreaTest["check"]): AreaTest => ({ tier: "C", codename, check });

/** The sizes of upstream's three containers differ by 2m and 2Mi each. */
const three = (sizes: readonly (readonly [cpu: number, memory: number])[]) =>
  sizes.map(([cpu, memory], index) => guaranteed(`${cpu + 2 * index}m`, `${memory + 2 * index}Mi`));
const original = three([
  [20, 35],
  [20, 35],
  [20, 35],
]);

const tests: AreaTest[] = [
  test(
    "[sig-node] Pod InPlace Resize Container guaranteed pods with multiple containers 3 containers - increase cpu & mem on c1, c2, decrease cpu & mem on c3 - net increase [MinimumKubeletVersion:1.34] [Conformance]",
    patchAndRollBack(
      original,
      three([
        [25, 40],
        [25, 40],
        [15, 30],
      ]),
    ),
  ),
  test(
    "[sig-node] Pod InPlace Resize Container guaranteed pods with multiple containers 3 containers - increase cpu & mem on c1, decrease cpu & mem on c2, c3 - net decrease [MinimumKubeletVersion:1.34] [Conformance]",
    patchAndRollBack(
      original,
      three([
        [25, 40],
        [15, 30],
        [15, 30],
      ]),
    ),
  ),
  test(
    "[sig-node] Pod InPlace Resize Container guaranteed pods with multiple containers 3 containers - increase: CPU (c1,c3), memory (c2, c3) ; decrease: CPU (c2) [MinimumKubeletVersion:1.34] [Conformance]",
    patchAndRollBack(
      original,
      three([
        [25, 35],
        [15, 40],
        [25, 40],
      ]),
    ),
  ),
  test(
    "[sig-node] Pod InPlace Resize Container burstable pods - extended 6 containers - various operations performed (including adding limits and requests) [MinimumKubeletVersion:1.34] [Conformance]",
    // Upstream's pod has five containers as well; requests and limits cannot be removed again.
    patchAndRollBack(
      [{ cpu: "20m" }, { memory: "35Mi" }, { cpu: "20m", memory: "35Mi" }, { cpu: "20m" }, { memory: "35Mi" }],
      [
        { cpu: "25m", cpuLimit: "35m" },
        { memory: "30Mi", memoryLimit: "50Mi" },
        { cpu: "20m", memory: "30Mi" },
        { cpu: "15m", memory: "35Mi" },
        { cpu: "20m", memory: "40Mi" },
      ],
      { rollsBack: false },
    ),
  ),
  test(
    "[sig-node] Pod InPlace Resize Container burstable pods - extended resize with equivalents [MinimumKubeletVersion:1.34] [Conformance]",
    patchAndRollBack([{ cpu: "2m", cpuLimit: "10m" }], [{ cpu: "1m", cpuLimit: "5m" }]),
  ),
  test("[sig-node] Pod InPlace Resize Container resize pod via the replace endpoint [MinimumKubeletVersion:1.34] [Conformance]", async (api) => {
    const path = await runPod(api, [guaranteed("20m", "35Mi")]);
    const wanted = guaranteed("25m", "40Mi");
    await eventually(
      async () => {
        const pod = await expectStatus(200, api.get(`${path}/resize`));
        pod.spec.containers[0].resources = resourcesOf(wanted);
        return api.put(`${path}/resize`, pod);
      },
      ({ status }) => status === 200,
    );
    const pod = await hasResources(api, path, [wanted]);
    expect(pod.metadata.generation).toBe(2);
    expect(await expectStatus(200, api.get(`${path}/resize`))).toEqual(await expectStatus(200, api.get(path)));
  }),
];

describeArea(tests);
