import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findKubectls, sayWhyNot, whyNoKubectlCluster } from "../../support/host-abilities.ts";
import { type KubernetesObject, type LabCluster, startLabCluster } from "../../support/lab-cluster.ts";
import { eventually } from "../../support/run-program.ts";

const kubectls = [...findKubectls()];
const lacking = whyNoKubectlCluster();
sayWhyNot("preemption", lacking);

const oldestAndNewest = kubectls.filter((_, index) => index === 0 || index === kubectls.length - 1);

let cluster: LabCluster;
/** The size of the one node, in thousandths of a core. */
let millicores = 0;
if (lacking === undefined) {
  beforeAll(async () => {
    cluster = await startLabCluster({ name: "preemption", nodes: 1 });
    const [node] = (await cluster.get<{ items: { status: { allocatable: { cpu: string } } }[] }>("nodes")).items;
    const cpu = node?.status.allocatable.cpu ?? "";
    millicores = cpu.endsWith("m") ? Number(cpu.slice(0, -1)) : Number(cpu) * 1000;
    await cluster.kubectl("create", "priorityclass", "urgent", "--value=1000");
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());
}

describe.each(lacking === undefined ? oldestAndNewest : [])("kubectl %s", (_version, kubectl) => {
  const ok = async (args: string, input = "") => {
    const result = await cluster.tryKubectl(args.split(" "), { program: kubectl, input });
    if (result.code !== 0) throw new Error(`kubectl ${args} ended with ${result.code}: ${result.stderr}`);
    return result.stdout;
  };
  const manifest = (name: string, share: number, spec: object = {}) =>
    JSON.stringify({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name },
      spec: {
        // A shell without a trap ignores SIGTERM as process 1, so it uses all of its grace period.
        terminationGracePeriodSeconds: 8,
        containers: [
          {
            name: "c",
            image: "busybox:1",
            command: ["sh", "-c", "while :; do sleep 1; done"],
            resources: { requests: { cpu: `${Math.floor(millicores * share)}m` } },
          },
        ],
        ...spec,
      },
    });

  test("shows how an important pod preempts another: the victim, the reason, the preemptor, and that it runs", async () => {
    await ok("create -f -", manifest("first", 0.45));
    await ok("wait --for=condition=Ready pod/first --timeout=30s");
    await ok("create -f -", manifest("second", 0.45));
    await ok("wait --for=condition=Ready pod/second --timeout=30s");
    await ok("create -f -", manifest("patient", 0.5));
    await ok("create -f -", manifest("urgent", 0.5, { priorityClassName: "urgent" }));

    const victim = await eventually("a victim that leaves", async () => {
      const { items } = await cluster.get<{ items: KubernetesObject[] }>("pods");
      return items.find(({ metadata }) => metadata.deletionTimestamp !== undefined);
    });
    expect(victim.metadata.name).toBe("second");
    expect(victim.status.conditions).toContainEqual(
      expect.objectContaining({
        type: "DisruptionTarget",
        status: "True",
        reason: "PreemptionByScheduler",
        message: "default-scheduler: preempting to accommodate a higher priority pod",
      }),
    );
    const described = await ok("describe pod urgent");
    expect(described).toMatch(/^Priority:\s+1000$/m);
    expect(described).toMatch(/^NominatedNodeName:\s+node-1$/m);
    expect(described).toMatch(/Warning\s+FailedScheduling\s.*0\/1 nodes are available: 1 Insufficient cpu\.$/m);
    expect(await ok("get pod urgent -o wide")).toMatch(/urgent\s+0\/1\s+Pending\s+0\s+\d+s\s+<none>\s+<none>\s+node-1/);

    await ok("wait --for=condition=Ready pod/urgent --timeout=30s");
    expect(await ok("describe pod urgent")).toMatch(
      /Normal\s+Scheduled\s.*Successfully assigned default\/urgent to node-1$/m,
    );
    const { metadata } = await cluster.get("pod", "urgent");
    expect(await ok("get events --field-selector=reason=Preempted,involvedObject.name=second")).toContain(
      `pod/second   Preempted by pod ${metadata.uid} on node node-1`,
    );
    expect(await ok("get pods -o name")).toBe("pod/first\npod/patient\npod/urgent\n");
    expect(await ok("get pod patient -o jsonpath={.status.conditions[0].message}")).toBe(
      "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.",
    );
    await ok("delete pods --all --now");
    await ok("delete events --all");
  });
});
