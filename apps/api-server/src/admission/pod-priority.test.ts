import { describe, expect, test } from "vitest";
import { aPod, podsPath, TestServer } from "../testing/test-server.ts";

const classesPath = "/apis/scheduling.k8s.io/v1/priorityclasses";

function aClass(name: string, value: number, more: object = {}) {
  return { apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", metadata: { name }, value, ...more };
}

const podOf = (name: string, priorityClassName: string, more: object = {}) =>
  aPod(name, { spec: { priorityClassName, ...more } });

async function priorityOf(server: TestServer, pod: ReturnType<typeof aPod>) {
  const { spec } = (await server.post(podsPath, pod)).json;
  return [spec.priorityClassName, spec.priority, spec.preemptionPolicy];
}

describe("the priority of a pod", () => {
  test("a pod gets the priority and the preemption policy of the class that it names", async () => {
    await using server = await TestServer.start();
    await server.post(classesPath, aClass("gentle", 1000, { preemptionPolicy: "Never" }));
    expect(await priorityOf(server, podOf("a", "gentle"))).toEqual(["gentle", 1000, "Never"]);
    const critical = podOf("b", "system-node-critical");
    expect(await priorityOf(server, critical)).toEqual(["system-node-critical", 2_000_001_000, "PreemptLowerPriority"]);
  });

  test("is the default class's value, or 0 without a default class, and the lower of two defaults is used", async () => {
    await using server = await TestServer.start();
    expect(await priorityOf(server, aPod("a"))).toEqual([undefined, 0, "PreemptLowerPriority"]);
    const atOnce = [aClass("usual", 500, { globalDefault: true }), aClass("also", 600, { globalDefault: true })];
    const answers = await Promise.all(atOnce.map((each) => server.post(classesPath, each)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(await priorityOf(server, aPod("b"))).toEqual(["usual", 500, "PreemptLowerPriority"]);
    await server.delete(classesPath);
    expect(await priorityOf(server, aPod("c"))).toEqual([undefined, 0, "PreemptLowerPriority"]);
  });

  test("cannot be chosen by its author or kept when its class does not exist", async () => {
    await using server = await TestServer.start();
    await server.post(classesPath, aClass("gentle", 1000, { preemptionPolicy: "Never" }));
    for (const [pod, because] of [
      [podOf("a", "nobody"), "no PriorityClass with name nobody was found"],
      [
        aPod("a", { spec: { priority: 2_000_000_000 } }),
        "the integer value of priority (2000000000) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name",
      ],
      [
        podOf("a", "gentle", { preemptionPolicy: "PreemptLowerPriority" }),
        "the string value of PreemptionPolicy (PreemptLowerPriority) must not be provided in pod spec; priority admission controller computed Never from the given PriorityClass name",
      ],
    ] as const) {
      expect(await server.post(podsPath, pod)).toMatchObject({
        status: 403,
        json: { message: `pods "a" is forbidden: ${because}` },
      });
    }
    expect(await priorityOf(server, podOf("a", "gentle", { priority: 1000 }))).toEqual(["gentle", 1000, "Never"]);
  });

  test("is kept when the pod is replaced by a manifest without a priority", async () => {
    await using server = await TestServer.start();
    await server.post(classesPath, aClass("gentle", 1000, { preemptionPolicy: "Never" }));
    const { json } = await server.post(podsPath, podOf("a", "gentle"));
    const { priority: _, preemptionPolicy: __, ...spec } = json.spec;
    const replaced = await server.put(`${podsPath}/a`, { ...json, spec });
    expect(replaced).toMatchObject({ status: 200, json: { spec: { priority: 1000, preemptionPolicy: "Never" } } });
  });
});

describe("a priority class", () => {
  test("of the system exists from the start and cannot be deleted", async () => {
    await using server = await TestServer.start();
    const { items } = (await server.get(classesPath)).json;
    expect(items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual([
      "system-cluster-critical",
      "system-node-critical",
    ]);
    expect(await server.delete(`${classesPath}/system-node-critical`)).toMatchObject({
      status: 403,
      json: {
        message:
          'priorityclasses.scheduling.k8s.io "system-node-critical" is forbidden: this is a system priority class and cannot be deleted',
      },
    });
  });

  test("cannot become a second default, but the present default may be updated", async () => {
    await using server = await TestServer.start();
    const usual = await server.post(classesPath, aClass("usual", 500, { globalDefault: true }));
    expect(await server.post(classesPath, aClass("second", 400, { globalDefault: true }))).toMatchObject({
      status: 403,
      json: {
        message:
          'priorityclasses.scheduling.k8s.io "second" is forbidden: PriorityClass usual is already marked as default. Only one default can exist',
      },
    });
    const described = await server.put(`${classesPath}/usual`, { ...usual.json, description: "all" });
    expect(described).toMatchObject({ status: 200, json: { description: "all", globalDefault: true } });
  });

  test("keeps its value and its preemption policy", async () => {
    await using server = await TestServer.start();
    const { json } = await server.post(classesPath, aClass("usual", 500));
    expect(json).toMatchObject({ value: 500, preemptionPolicy: "PreemptLowerPriority" });
    const changed = { ...json, value: 501, preemptionPolicy: "Never" };
    expect(await server.put(`${classesPath}/usual`, changed)).toMatchObject({
      status: 422,
      json: {
        message:
          'PriorityClass.scheduling.k8s.io "usual" is invalid: [value: Forbidden: may not be changed in an update., preemptionPolicy: Invalid value: "Never": field is immutable]',
      },
    });
  });
});
