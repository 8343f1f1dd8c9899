import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { followServing, isServing } from "../support/observe/follow-serving.ts";
import { workloadKubectls, sayWhyNot, whyNoKubectlCluster } from "../support/host-abilities.ts";
import { type KubernetesObject, type LabCluster, startLabCluster } from "../support/lab-cluster.ts";
import { eventually } from "../support/run-program.ts";
import { showsEvents } from "../support/observe/shows-events.ts";

const kubectls = workloadKubectls();
const lacking = whyNoKubectlCluster();
sayWhyNot("rollouts of Deployments", lacking);

/** The program ends immediately at the signal. */
const program = ["sh", "-c", 'trap "exit 0" TERM; sleep 3600 & wait'];
/** The same image by another name: a change of the template that works. */
const otherName = "docker.io/library/busybox:1";
/** An image that no registry has. */
const noImage = "localhost:1/none:1";

/** No pod may be missing: an old pod is removed only after a new pod is Ready. */
const strict = (name: string) => `apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}}
spec:
  replicas: 3
  strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec:
      terminationGracePeriodSeconds: 0
      containers: [{name: c, image: "busybox:1", command: [sleep, "3600"]}]
`;

const replicationController = (name: string) => `apiVersion: v1
kind: ReplicationController
metadata: {name: ${name}}
spec:
  replicas: 2
  template:
    metadata: {labels: {app: ${name}}}
    spec:
      terminationGracePeriodSeconds: 0
      containers: [{name: c, image: "busybox:1", command: [sleep, "3600"]}]
`;

let cluster: LabCluster;
if (lacking === undefined) {
  beforeAll(async () => {
    cluster = await startLabCluster({ name: "deployments", nodes: 2 });
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());
}

const list = async (what: string, name: string) =>
  (await cluster.get<{ items: KubernetesObject[] }>(what, "-l", `app=${name}`)).items;
const serving = async (name: string) => (await list("pods", name)).filter(isServing);
const uids = (objects: readonly KubernetesObject[]) => objects.map(({ metadata }) => metadata.uid).toSorted();

const both = describe.concurrent.each(lacking === undefined ? kubectls : []);
both("kubectl %s", (version, kubectl) => {
  const run = (args: string) => cluster.tryKubectl(args.split(" "), { program: kubectl });
  /** Returns the output. @throws Error with the output when the command failed. */
  const ok = async (args: string, ...rest: string[]) => {
    const result = await cluster.tryKubectl([...args.split(" "), ...rest], { program: kubectl });
    if (result.code !== 0)
      throw new Error(`kubectl ${args} ended with ${result.code}: ${result.stdout}${result.stderr}`);
    return result.stdout;
  };
  const patch = (deployment: string, spec: object) => ok(`patch deploy ${deployment} -p`, JSON.stringify({ spec }));
  const name = (prefix: string) => `${prefix}-${version.replaceAll(".", "-").toLowerCase()}`;
  const revisions = async (deployment: string) =>
    [...(await ok(`rollout history deploy/${deployment}`)).matchAll(/^(\d+)\s/gm)].map(([, revision]) => revision);

  test("creates, shows, scales, pauses, restarts and deletes a Deployment", async () => {
    const web = name("web");
    expect(await ok(`create deployment ${web} --image=busybox:1 --replicas=2 --`, ...program)).toBe(
      `deployment.apps/${web} created\n`,
    );
    expect(await ok(`rollout status deploy/${web} --timeout=30s`)).toContain(
      `deployment "${web}" successfully rolled out\n`,
    );
    const shown = await ok(`get deploy,rs -l app=${web} -o wide`);
    expect(shown).toMatch(/NAME\s+READY\s+UP-TO-DATE\s+AVAILABLE\s+AGE\s+CONTAINERS\s+IMAGES\s+SELECTOR\n/);
    expect(shown).toMatch(
      new RegExp(`deployment\\.apps/${web}\\s+2/2\\s+2\\s+2\\s+\\d+s\\s+busybox\\s+busybox:1\\s+app=${web}\n`),
    );
    expect(shown).toMatch(
      new RegExp(`replicaset\\.apps/${web}-\\w+\\s+2\\s+2\\s+2\\s+\\d+s.*app=${web},pod-template-hash=`),
    );

    expect(await ok(`scale deploy/${web} --current-replicas=2 --replicas=3`)).toBe(`deployment.apps/${web} scaled\n`);
    await ok(`rollout status deploy/${web} --timeout=30s`);
    const describeWeb = () => ok(`describe deploy ${web}`);
    const described = await describeWeb();
    for (const line of [
      /Replicas:\s+3 desired \| 3 updated \| 3 total \| 3 available \| 0 unavailable/,
      /StrategyType:\s+RollingUpdate/,
      /RollingUpdateStrategy:\s+25% max unavailable, 25% max surge/,
      /Available\s+True\s+MinimumReplicasAvailable/,
      /Progressing\s+True\s+NewReplicaSetAvailable/,
      /OldReplicaSets:\s+<none>/,
      new RegExp(`NewReplicaSet:\\s+${web}-\\w+ \\(3/3 replicas created\\)`),
    ])
      expect(described).toMatch(line);
    await showsEvents(cluster, describeWeb, [
      new RegExp(
        `Normal\\s+ScalingReplicaSet\\s.*deployment-controller\\s+Scaled up replica set ${web}-\\w+ from 0 to 2`,
      ),
      new RegExp(`Normal\\s+ScalingReplicaSet\\s.*Scaled up replica set ${web}-\\w+ from 2 to 3`),
    ]);

    expect(await ok(`rollout pause deploy/${web}`)).toBe(`deployment.apps/${web} paused\n`);
    await ok(`set env deploy/${web} A=1`);
    const paused = await eventually("the change is seen", async () => {
      const { metadata, status } = await cluster.get<WithRollout>("deploy", web);
      return status.observedGeneration === metadata.generation && status;
    });
    expect(paused).toMatchObject({ readyReplicas: 3, replicas: 3 });
    expect(paused.updatedReplicas ?? 0).toBe(0);
    expect((await list("rs", web)).length).toBe(1);
    expect(await ok(`rollout resume deploy/${web}`)).toBe(`deployment.apps/${web} resumed\n`);
    await ok(`rollout status deploy/${web} --timeout=30s`);
    expect((await list("rs", web)).length).toBe(2);

    const before = uids(await serving(web));
    expect(await ok(`rollout restart deploy/${web}`)).toBe(`deployment.apps/${web} restarted\n`);
    await ok(`rollout status deploy/${web} --timeout=30s`);
    const after = uids(await serving(web));
    expect(after.length).toBe(3);
    expect(after.filter((uid) => before.includes(uid))).toEqual([]);
    expect(await revisions(web)).toEqual(["1", "2", "3"]);

    expect(await ok(`delete deploy ${web} --timeout=30s`)).toContain(`deployment.apps "${web}" deleted`);
    await eventually("its sets and pods are gone", async () => (await ok(`get rs,pods -l app=${web} -o name`)) === "");
  });

  test("keeps, scales and shows the pods of a ReplicationController, and a budget counts by it", async () => {
    const rc = name("rc");
    await cluster.apply(replicationController(rc));
    await ok(`create pdb ${rc} --max-unavailable=50% --selector=app=${rc}`);
    await eventually("both pods serve", async () => (await serving(rc)).length === 2);
    // The ReplicationController's status follows the conditions of its pods.
    const counted = new RegExp(`replicationcontroller/${rc}\\s+2\\s+2\\s+2\\s`);
    await eventually("it counts both", async () => counted.test(await ok(`get all -l app=${rc}`)));
    await eventually("the budget counts them", async () => {
      const { status } = await cluster.get<WithBudget>("pdb", rc);
      return status.expectedPods === 2 && status.disruptionsAllowed === 1;
    });

    const [victim] = await serving(rc);
    await ok(`delete pod ${victim?.metadata.name} --wait=false`);
    await eventually("another takes its place", async () => {
      const now = await serving(rc);
      return now.length === 2 && !uids(now).includes(victim?.metadata.uid ?? "");
    });
    expect(await ok(`scale rc/${rc} --replicas=3`)).toBe(`replicationcontroller/${rc} scaled\n`);
    await eventually("the third serves", async () => (await serving(rc)).length === 3);
    const created = /Normal\s+SuccessfulCreate\s.*replication-controller\s+Created pod: /;
    await showsEvents(cluster, () => ok(`describe rc ${rc}`), [created]);
    await ok(`delete rc,pdb ${rc} --timeout=30s`);
    await eventually("its pods are gone", async () => (await ok(`get pods -l app=${rc} -o name`)) === "");
  });

  test("rolls out without missing a pod, stops at a template that cannot run, and rolls back", async () => {
    const web = name("strict");
    await cluster.apply(strict(web));
    await ok(`rollout status deploy/${web} --timeout=30s`);
    await using watch = await followServing(cluster, web);

    await ok(`set image deploy/${web} c=${otherName}`);
    await ok(`rollout status deploy/${web} --timeout=30s`);

    await ok(`set image deploy/${web} c=${noImage}`);
    const impatient = await run(`rollout status deploy/${web} --timeout=1s`);
    expect(impatient).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("timed out waiting for the condition"),
    });
    await patch(web, { progressDeadlineSeconds: 3 });
    expect(await run(`rollout status deploy/${web} --timeout=30s`)).toMatchObject({
      code: 1,
      stderr: `error: deployment "${web}" exceeded its progress deadline\n`,
    });
    expect(await ok(`describe deploy ${web}`)).toMatch(/Progressing\s+False\s+ProgressDeadlineExceeded/);
    expect(await ok(`get deploy ${web}`)).toMatch(new RegExp(`\n${web}\\s+3/3\\s+1\\s+3\\s`));

    expect(await ok(`rollout undo deploy/${web}`)).toBe(`deployment.apps/${web} rolled back\n`);
    await ok(`rollout status deploy/${web} --timeout=30s`);
    expect(await revisions(web)).toEqual(["1", "3", "4"]);
    expect(await ok(`rollout history deploy/${web} --revision=4`)).toContain(otherName);
    const images = "-o=jsonpath={.items[*].spec.containers[*].image}";
    expect(new Set((await ok(`get pods -l app=${web} ${images}`)).split(" "))).toEqual(new Set([otherName]));

    // Ready between two crashes, but never long enough to count.
    const crashing = { name: "c", command: ["sh", "-c", "sleep 0.2; exit 3"] };
    const template = { spec: { containers: [crashing] } };
    await patch(web, { progressDeadlineSeconds: 600, minReadySeconds: 2, template });
    await eventually("it crashes", async () =>
      (await list("pods", web)).some(({ status }) => (status.containerStatuses?.[0]?.restartCount ?? 0) > 1),
    );
    await ok(`rollout undo deploy/${web} --to-revision=4`);
    await ok(`rollout status deploy/${web} --timeout=30s`);
    expect(await revisions(web)).toEqual(["1", "3", "5", "6"]);

    expect(watch.fewestServing()).toBe(3);
    expect(watch.most()).toBe(4);
    await ok(`delete deploy ${web} --timeout=30s`);
  });
});

test.skipIf(lacking !== undefined)("a Deployment whose node is killed has its pods Ready on other nodes", async () => {
  const web = "lost";
  await cluster.apply(strict(web));
  await cluster.kubectl("rollout", "status", `deploy/${web}`, "--timeout=30s");
  expect(new Set((await serving(web)).map(({ spec }) => spec.nodeName)).size).toBe(2);
  await cluster.kintsugi("node", "kill", "node-2");
  await eventually("three on node-1", async () => {
    const pods = await serving(web);
    return pods.length === 3 && pods.every(({ spec }) => spec.nodeName === "node-1");
  });
  await cluster.kubectl("rollout", "status", `deploy/${web}`, "--timeout=30s");
  expect((await list("rs", web)).length).toBe(1);
});

type WithBudget = KubernetesObject & { status: { expectedPods: number; disruptionsAllowed: number } };

type WithRollout = KubernetesObject & {
  metadata: { generation: number };
  status: { observedGeneration: number; replicas?: number; readyReplicas?: number; updatedReplicas?: number };
};
