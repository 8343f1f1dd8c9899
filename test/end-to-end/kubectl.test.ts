import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { findKubectls, sayWhyNot, whyNoKubectlCluster } from "../support/host-abilities.ts";
import { type LabCluster, startLabCluster } from "../support/lab-cluster.ts";
import { eventually } from "../support/run-program.ts";
import { showsEvents } from "../support/observe/shows-events.ts";

const kubectls = [...findKubectls()];
const theEnds = kubectls.filter((_, index) => index === 0 || index === kubectls.length - 1);
const lacking = whyNoKubectlCluster();
sayWhyNot("kubectl against a real cluster", lacking);

const web = (replicas: number) => `apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: kweb}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: kweb}}
  template:
    metadata: {labels: {app: kweb}}
    spec:
      terminationGracePeriodSeconds: 0
      containers:
      - {name: c, image: "busybox:1", command: [sh, -c, "echo hello from $HOSTNAME; exec sleep 3600"]}
`;

// One cluster for all versions, because the test concerns kubectl's requests and output, not the
// cluster.
let cluster: LabCluster;
if (lacking === undefined) {
  beforeAll(async () => {
    cluster = await startLabCluster({ name: "kubectl", nodes: 2 });
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());
}

const leftovers = [
  "delete",
  "rs/kweb",
  "pod/shown",
  "configmap/cm",
  "secret/s",
  "ns/kns",
  "priorityclass/kurgent",
  "--ignore-not-found",
  "--timeout=30s",
];

/** One kubectl: `run` returns every outcome, `ok` the output of a success. */
function kubectlOf(program: string) {
  const run = (args: readonly string[], input?: string) =>
    cluster.tryKubectl(args, { program, ...(input === undefined ? {} : { input }) });
  /** @throws Error with the output when the command failed. */
  const ok = async (args: string, input?: string) => {
    const result = await run(args.split(" "), input);
    if (result.code !== 0)
      throw new Error(`kubectl ${args} ended with ${result.code}: ${result.stdout}${result.stderr}`);
    return result.stdout;
  };
  // The remains of a failed test must not affect the next test; other tests clean up themselves.
  beforeEach(({ onTestFailed }) => onTestFailed(async () => void (await run(leftovers))));
  return { run, ok };
}

// The versions differ in the requests of apply and create, in their form, and in their use of the
// answers' schemas.
describe.skipIf(lacking !== undefined).each(kubectls)("kubectl %s", (_version, program) => {
  const { run, ok } = kubectlOf(program);

  test("applies, waits, shows, scales and deletes a ReplicaSet", async () => {
    expect(await ok("apply -f -", web(2))).toBe("replicaset.apps/kweb created\n");
    await ok("wait --for=jsonpath={.status.readyReplicas}=2 rs/kweb --timeout=30s");
    expect(await ok("wait --for=condition=Ready pod -l app=kweb --timeout=30s")).toMatch(
      /pod\/kweb-\w{5} condition met/,
    );
    expect(await ok("get rs kweb")).toMatch(/NAME\s+DESIRED\s+CURRENT\s+READY\s+AGE\nkweb\s+2\s+2\s+2\s+\d+s/);
    const wide = await ok("get nodes,pods -o wide");
    expect(wide).toMatch(
      /NAME\s+STATUS\s+ROLES\s+AGE\s+VERSION\s+INTERNAL-IP\s+EXTERNAL-IP\s+OS-IMAGE\s+KERNEL-VERSION\s+CONTAINER-RUNTIME/,
    );
    expect(wide).toMatch(/node\/node-1\s+Ready\s+<none>\s+\S+\s+v1\.36\.\S+\s+10\.\d+\.0\.11\s+<none>/);
    expect(wide).toMatch(/NAME\s+READY\s+STATUS\s+RESTARTS\s+AGE\s+IP\s+NODE\s+NOMINATED NODE\s+READINESS GATES/);
    expect(wide).toMatch(
      /pod\/kweb-\w{5}\s+1\/1\s+Running\s+0\s+\d+s\s+10\.\d+\.[12]\.\d+\s+node-[12]\s+<none>\s+<none>/,
    );
    expect(await ok("apply -f -", web(3))).toBe("replicaset.apps/kweb configured\n");
    expect(await ok("apply --server-side=false -f -", web(3))).toBe("replicaset.apps/kweb unchanged\n");
    await ok("wait --for=condition=Ready pod -l app=kweb --timeout=30s");
    expect(await ok("logs -l app=kweb --tail=1")).toContain("hello from kweb-");
    expect(await ok("scale rs kweb --replicas=1")).toBe("replicaset.apps/kweb scaled\n");
    await showsEvents(cluster, () => ok("get events --field-selector involvedObject.name=kweb"), [
      /SuccessfulCreate\s+replicaset\/kweb\s+Created pod: kweb-/,
    ]);
    // A terminating pod counts until it no longer exists.
    const described = await eventually("one pod is left", async () => {
      const words = await ok("describe rs kweb");
      return words.includes("1 current / 1 desired") && /Pods Status:\s+1 /.test(words) && words;
    });
    expect(described).toMatch(/Pods Status:\s+1 Running \/ 0 Waiting \/ 0 Succeeded \/ 0 Failed/);
    expect(await ok("delete rs kweb --wait=true --timeout=30s")).toContain('replicaset.apps "kweb" deleted');
    await ok("wait --for=delete pod -l app=kweb --timeout=30s");
  });

  test("creates what it sends as protobuf, explains, queries and diffs", async () => {
    await ok("create configmap cm --from-literal=a=b");
    expect(await ok("get configmap cm -o jsonpath={.data.a}")).toBe("b");
    await ok("create secret generic s --from-literal=p=q");
    await ok("create namespace kns");
    await ok("delete configmap/cm secret/s namespace/kns --timeout=30s");
    expect(await ok("explain pod.spec.containers.image")).toMatch(/FIELD:\s+image/);
    expect((await run(["auth", "can-i", "create", "pods"])).stdout).toBe("yes\n");
    expect(await ok("api-resources")).toMatch(/replicasets\s+rs\s+apps\/v1\s+true\s+ReplicaSet/);
    expect(await ok("version")).toMatch(/Server Version:.*v1\.36/);
    const diff = await run(["diff", "-f", "-"], web(1));
    expect(diff.code).toBe(1);
    expect(diff.stdout).toContain("+kind: ReplicaSet");
  });

  test("receives an explanation of errors in its objects", async () => {
    const file = join(cluster.kubeconfig, "../bad.yaml");
    const refused = async (manifest: string, ...args: string[]) => {
      writeFileSync(file, manifest);
      const result = await run(["apply", "-f", file, ...args]);
      expect(result.code).not.toBe(0);
      return result.stderr;
    };
    expect(await refused("apiVersion: v1\nkind: Nothing\nmetadata: {name: x}\n")).toMatch(
      /no matches for kind "Nothing" in version "v1"/,
    );
    expect(await refused(web(1).replace("replicas", "replicaz"))).toMatch(
      /unknown field "(\.|ReplicaSet\.)?spec\.replicaz"/,
    );
    expect(await refused(web(1).replace("matchLabels: {app: kweb}", "matchLabels: {app: other}"))).toMatch(
      /`selector` does not match template `labels`/,
    );
    expect(
      await refused("apiVersion: v1\nkind: Pod\nmetadata: {name: ../x}\nspec: {containers: [{name: c, image: i}]}\n"),
    ).toMatch(/invalid|Invalid|may not contain/);
    expect((await run(["get", "pod", "none"])).stderr).toBe('Error from server (NotFound): pods "none" not found\n');
    expect((await run(["get", "nothings"])).stderr).toMatch(/the server doesn't have a resource type "nothings"/);
  });
});

// All versions print and request the same here, so the oldest and the newest are enough.
describe.skipIf(lacking !== undefined).each(theEnds)("kubectl %s", (_version, program) => {
  const { run, ok } = kubectlOf(program);

  test("gives pods a priority by the name of their class only", async () => {
    expect(await ok("create priorityclass kurgent --value=1000 --preemption-policy=Never --description=fast")).toBe(
      "priorityclass.scheduling.k8s.io/kurgent created\n",
    );
    const classes = await ok("get priorityclasses");
    expect(classes).toMatch(/NAME\s+VALUE\s+GLOBAL-DEFAULT\s+AGE\s+PREEMPTIONPOLICY/);
    expect(classes).toMatch(/kurgent\s+1000\s+false\s+\d+s\s+Never/);
    expect(classes).toMatch(/system-node-critical\s+2000001000\s+false\s+\S+\s+PreemptLowerPriority/);
    const pod = (priorityClassName: string) =>
      JSON.stringify({
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "shown" },
        spec: {
          priorityClassName,
          terminationGracePeriodSeconds: 0,
          containers: [{ name: "c", image: "busybox:1", command: ["sleep", "3600"] }],
        },
      });
    expect((await run(["create", "-f", "-"], pod("knobody"))).stderr).toContain(
      'pods "shown" is forbidden: no PriorityClass with name knobody was found',
    );
    await ok("create -f -", pod("kurgent"));
    expect(await ok("get pod shown -o jsonpath={.spec.priority}/{.spec.preemptionPolicy}")).toBe("1000/Never");
    expect((await run(["delete", "priorityclass", "system-node-critical"])).stderr).toContain(
      "this is a system priority class and cannot be deleted",
    );
    await ok("delete pod/shown priorityclass/kurgent --timeout=30s");
  });

  test("describes a node and a pod in the usual form", async () => {
    const node = await ok("describe node node-1");
    for (const line of [
      /Ready\s+True\s.*KubeletReady\s+kubelet is posting ready status/,
      /MemoryPressure\s+False/,
      /Lease:\n\s+HolderIdentity:\s+node-1/,
      /PodCIDR:\s+10\.\d+\.1\.0\/24/,
      /Container Runtime Version:\s+containerd:\/\//,
    ]) {
      expect(node).toMatch(line);
    }
    await ok("run shown --image=busybox:1 --restart=Never -- sleep 3600");
    await ok("wait --for=condition=Ready pod/shown --timeout=30s");
    const describePod = () => ok("describe pod shown");
    const pod = await describePod();
    for (const line of [
      /Status:\s+Running/,
      /QoS Class:\s+BestEffort/,
      /Tolerations:\s+node\.kubernetes\.io\/not-ready:NoExecute op=Exists for 5s/,
      /Normal\s+Pulled\s.*already present on machine/,
      /Normal\s+Created/,
      /Normal\s+Started/,
    ]) {
      expect(pod).toMatch(line);
    }
    await showsEvents(cluster, describePod, [/Normal\s+Scheduled\s.*Successfully assigned default\/shown to node-/]);
    expect(await ok("delete pod shown --grace-period=0 --force")).toContain('pod "shown" force deleted');
  });

  test("labels, annotates, taints and cordons", async () => {
    expect(await ok("label node node-2 disk=ssd")).toBe("node/node-2 labeled\n");
    expect(await ok("get nodes -l disk=ssd -o name")).toBe("node/node-2\n");
    expect(await ok("label node node-2 disk-")).toMatch(/node\/node-2 (unlabeled|labeled)/);
    // kubectl 1.27 drops the last letter.
    expect(await ok("annotate node node-2 note=x")).toMatch(/^node\/node-2 annotated?\n$/);
    expect(await ok("annotate node node-2 note-")).toContain("annotate");
    expect(await ok("taint node node-2 key=value:NoSchedule")).toBe("node/node-2 tainted\n");
    expect(await ok("describe node node-2")).toMatch(/Taints:\s+key=value:NoSchedule/);
    expect(await ok("taint node node-2 key-")).toBe("node/node-2 untainted\n");
    expect(await ok("cordon node-2")).toBe("node/node-2 cordoned\n");
    expect(await ok("get node node-2")).toMatch(/node-2\s+Ready,SchedulingDisabled/);
    expect(await ok("uncordon node-2")).toBe("node/node-2 uncordoned\n");
    expect(await ok("get lease -n kube-node-lease")).toMatch(
      /NAME\s+HOLDER\s+AGE\nnode-1\s+node-1\s+\S+\nnode-2\s+node-2/,
    );
  });

  test("impersonates another user with that user's rights only", async () => {
    const mayI = async (args: string) => (await run(`auth can-i ${args}`.split(" "))).stdout;
    expect(await mayI("list pods --as=bob")).toBe("no\n");
    expect(await mayI("list pods --as=bob --as-group=system:masters")).toBe("yes\n");
    expect(await mayI("list nodes --as=system:serviceaccount:kube-system:nobody")).toMatch(/no\n$/);
    const review = (flags: string) =>
      ok(
        `create --validate=false -f - -o jsonpath={.status.userInfo} ${flags}`,
        "apiVersion: authentication.k8s.io/v1\nkind: SelfSubjectReview\n",
      );
    expect(JSON.parse(await review("--as=bob --as-group=a --as-group=b"))).toEqual({
      username: "bob",
      groups: ["a", "b", "system:authenticated"],
    });
    const who = await run(["auth", "whoami", "--as=bob", "--as-group=a", "--as-uid=u-1"]);
    expect(who.stdout).toMatch(/Username\s+bob\n(UID\s+u-1\n)?Groups\s+\[a system:authenticated\]/);
    const refused = await run(["get", "pods", "--as=bob"]);
    expect(refused.stderr).toBe(
      'Error from server (Forbidden): pods is forbidden: User "bob" cannot list resource "pods" in API group "" in the namespace "default"\n',
    );
    const twice = await run(["get", "pods", "--as=bob", "--as-group=system:authenticated", "--watch"]);
    expect(twice.stderr).toContain('User "bob" cannot');
  });
});

test.skipIf(lacking !== undefined)("drain evicts pods as far as a budget allows, and waits for the rest", async () => {
  const budget = (minAvailable: number) =>
    ["create", "pdb", `keep-${minAvailable}`, "--selector=app=kweb", `--min-available=${minAvailable}`] as const;
  const drain = (node: string, timeout: string) => cluster.tryKubectl(["drain", node, `--timeout=${timeout}`]);
  expect(await cluster.tryKubectl(["apply", "-f", "-"], { input: web(2) })).toMatchObject({ code: 0 });
  await cluster.kubectl("wait", "--for=jsonpath={.status.readyReplicas}=2", "rs/kweb", "--timeout=30s");
  await cluster.kubectl(...budget(1));
  await cluster.kubectl("wait", "--for=jsonpath={.status.disruptionsAllowed}=1", "pdb/keep-1", "--timeout=10s");
  expect(await cluster.kubectl("get", "pdb", "keep-1")).toMatch(/\nkeep-1\s+1\s+N\/A\s+1\s/);
  expect(await drain("node-1", "60s")).toMatchObject({ code: 0 });
  await cluster.kubectl("wait", "--for=jsonpath={.status.readyReplicas}=2", "rs/kweb", "--timeout=30s");
  await cluster.kubectl("delete", "pdb", "keep-1");
  await cluster.kubectl(...budget(2));
  await cluster.kubectl("wait", "--for=jsonpath={.status.currentHealthy}=2", "pdb/keep-2", "--timeout=10s");
  const refused = await drain("node-2", "4s");
  expect(refused.code).toBe(1);
  expect(refused.stdout + refused.stderr).toContain(
    "Cannot evict pod as it would violate the pod's disruption budget.",
  );
  expect(await cluster.kubectl("get", "rs", "kweb", "-o", "jsonpath={.status.readyReplicas}")).toBe("2");
  await cluster.kubectl("uncordon", "node-1", "node-2");
  await cluster.kubectl("delete", "rs/kweb", "pdb/keep-2");
});
