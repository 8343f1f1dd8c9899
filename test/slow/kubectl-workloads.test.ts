import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findKubectls, sayWhyNot, whyNoKubectlCluster } from "../support/host-abilities.ts";
import { type KubernetesObject, type LabCluster, startLabCluster } from "../support/lab-cluster.ts";
import { eventually } from "../support/run-program.ts";

// Every verb that kubectl has for workloads, on every kind, with each kubectl next to the kubectl
// in the PATH. The end-to-end suite tests the common verbs with the oldest and the newest.

const kubectls = [...findKubectls()];
const lacking = whyNoKubectlCluster();
sayWhyNot("kubectl's verbs for workloads", lacking);

/** The same image by another name: a change of the template that works. */
const otherName = "docker.io/library/busybox:1";

/** Ends immediately at the signal; "c" is the container that the commands name. */
const podSpec = {
  terminationGracePeriodSeconds: 0,
  containers: [{ name: "c", image: "busybox:1", command: ["sleep", "3600"] }],
};
const template = (app: string) => ({ metadata: { labels: { app } }, spec: podSpec });
const specOf = (app: string) => ({ selector: { matchLabels: { app } }, template: template(app) });

/** A kind whose pods are rolled out, with kubectl's texts for it. */
interface RolledOut {
  resource: string;
  kind: string;
  hasScale: boolean;
  hasPauses: boolean;
  /** Fields of the spec in addition to selector and template. */
  further: (name: string) => object;
}

const rolledOut: RolledOut[] = [
  { resource: "deployment", kind: "Deployment", hasScale: true, hasPauses: true, further: () => ({ replicas: 2 }) },
  {
    resource: "statefulset",
    kind: "StatefulSet",
    hasScale: true,
    hasPauses: false,
    further: (serviceName) => ({ replicas: 2, serviceName }),
  },
  { resource: "daemonset", kind: "DaemonSet", hasScale: false, hasPauses: false, further: () => ({}) },
];

let cluster: LabCluster;
if (lacking === undefined) {
  beforeAll(async () => {
    cluster = await startLabCluster({ name: "kubectl-workloads", nodes: 2 });
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());
}

const withName = async <T>(what: string, name: string) => cluster.get<KubernetesObject & T>(what, name);
const podsOf = async (label: string) => (await cluster.get<{ items: KubernetesObject[] }>("pods", "-l", label)).items;
type WithTemplate = {
  spec: {
    replicas?: number;
    template: { spec: { containers: { image: string; env?: object[]; resources?: object }[] } };
  };
};
const containerOf = ({ spec }: WithTemplate) => spec.template.spec.containers[0];

const ofEach = describe.each(lacking === undefined ? kubectls : []);
ofEach("kubectl %s", (version, program) => {
  const run = (args: string, input?: string) =>
    cluster.tryKubectl(args.split(" "), { program, ...(input === undefined ? {} : { input }) });
  /** @throws Error with the output when the command failed. */
  const ok = async (args: string, input?: string) => {
    const { code, stdout, stderr } = await run(args, input);
    if (code !== 0) throw new Error(`kubectl ${args} ended with ${code}: ${stdout}${stderr}`);
    return stdout;
  };
  /** Returns the text with which kubectl or the server rejects the command. */
  const refused = async (args: string) => {
    const { code, stdout, stderr } = await run(args);
    expect({ args, code, stdout }).toMatchObject({ code: 1 });
    return stderr;
  };
  const create = (object: object) => ok("create -f -", JSON.stringify(object));
  const suffix = version.replaceAll(".", "-").toLowerCase();

  interface Tested {
    name: string;
    /** Resource and name, as commands and answers have them. */
    it: string;
    full: string;
    kind: string;
  }
  type Settled = () => Promise<string>;
  const revisionsOf = async (it: string) =>
    [...(await ok(`rollout history ${it}`)).matchAll(/^(\d+)\s/gm)].map(([, revision]) => revision);

  async function pausesAndGoesOn({ it, full }: Tested, settled: Settled): Promise<void> {
    expect(await ok(`rollout pause ${it}`)).toBe(`${full} paused\n`);
    const known = await revisionsOf(it);
    await ok(`set image ${it} c=busybox:1`);
    expect(await refused(`rollout undo ${it}`)).toContain("you cannot rollback a paused deployment; resume it first");
    expect(await revisionsOf(it)).toEqual(known);
    expect(await ok(`rollout resume ${it}`)).toBe(`${full} resumed\n`);
    await settled();
    expect(await ok(`wait --for=condition=Available ${it} --timeout=30s`)).toBe(`${full} condition met\n`);
  }

  async function refusesToPause({ it }: Tested): Promise<void> {
    expect(await refused(`rollout pause ${it}`)).toMatch(/pausing is not supported/);
    expect(await refused(`rollout resume ${it}`)).toMatch(/resuming is not supported/);
  }

  async function scales({ name, it, full, kind }: Tested, settled: Settled): Promise<void> {
    expect(await refused(`scale ${it} --current-replicas=7 --replicas=3`)).toContain(
      "Expected replicas to be 7, was 2",
    );
    expect(await ok(`scale ${it} --current-replicas=2 --replicas=3`)).toBe(`${full} scaled\n`);
    await settled();
    expect(await ok(`wait --for=jsonpath={.status.readyReplicas}=3 ${it} --timeout=30s`)).toBe(
      `${full} condition met\n`,
    );
    expect(await ok(`autoscale ${it} --min=3 --max=4 --cpu-percent=80`)).toBe(
      `horizontalpodautoscaler.autoscaling/${name} autoscaled\n`,
    );
    expect(await ok(`get hpa ${name}`)).toMatch(
      new RegExp(`${name}\\s+${kind}/${name}\\s+.*(?:<unknown>|\\d+%)/80%\\s+3\\s+4\\s`),
    );
    expect(await ok(`delete hpa ${name}`)).toContain(`"${name}" deleted`);
  }

  async function refusesToScale({ it }: Tested): Promise<void> {
    expect(await refused(`scale ${it} --replicas=3`)).toMatch(/\(NotFound\)|could not find the requested resource/);
    expect(await refused(`autoscale ${it} --max=4`)).toMatch(/cannot autoscale/);
  }

  describe.concurrent("every verb", () => {
    test.each(rolledOut)("of a $kind", async ({ resource, kind, hasScale, hasPauses, further }) => {
      const name = `${resource}-${suffix}`;
      const it = `${resource}/${name}`;
      const full = `${resource}.apps/${name}`;
      const settled = () => ok(`rollout status ${it} --timeout=60s`);
      const container = async () => containerOf(await withName<WithTemplate>(resource, name));

      const spec = { ...further(name), ...specOf(name) };
      expect(await create({ apiVersion: "apps/v1", kind, metadata: { name }, spec })).toBe(`${full} created\n`);
      await settled();
      expect(await ok(`set image ${it} c=${otherName}`)).toBe(`${full} image updated\n`);
      await settled();
      expect(await revisionsOf(it)).toEqual(["1", "2"]);
      expect(await ok(`rollout history ${it} --revision=1`)).toMatch(/Image:\s+busybox:1\n/);
      expect(await ok(`rollout undo ${it}`)).toBe(`${full} rolled back\n`);
      await settled();
      expect((await container())?.image).toBe("busybox:1");
      expect(await ok(`rollout undo ${it} --to-revision=2`)).toBe(`${full} rolled back\n`);
      await settled();
      expect((await container())?.image).toBe(otherName);
      expect(await ok(`set env ${it} A=1`)).toBe(`${full} env updated\n`);
      expect(await ok(`set resources ${it} --requests=cpu=5m --limits=memory=64Mi`)).toBe(
        `${full} resource requirements updated\n`,
      );
      await settled();
      expect(await container()).toMatchObject({
        env: [{ name: "A", value: "1" }],
        resources: { requests: { cpu: "5m" }, limits: { memory: "64Mi" } },
      });
      expect(await ok(`set env ${it} --list`)).toContain("A=1\n");
      const before = new Set((await podsOf(`app=${name}`)).map(({ metadata }) => metadata.uid));
      expect(await ok(`rollout restart ${it}`)).toBe(`${full} restarted\n`);
      await settled();
      const live = (await podsOf(`app=${name}`)).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      expect(live.length).toBe(2);
      expect(live.filter(({ metadata }) => before.has(metadata.uid))).toEqual([]);

      const tested = { name, it, full, kind };
      await (hasPauses ? pausesAndGoesOn : refusesToPause)(tested, settled);
      await (hasScale ? scales : refusesToScale)(tested, settled);
      expect(await ok(`describe ${it}`)).toMatch(/SuccessfulCreate|ScalingReplicaSet/);
      expect(await ok(`delete ${it} --timeout=60s`)).toBe(`${resource}.apps "${name}" deleted\n`);
      await eventually("its pods are gone", async () => (await podsOf(`app=${name}`)).length === 0, 60_000);
    });

    test("of a ReplicationController", async () => {
      const name = `controller-${suffix}`;
      const it = `rc/${name}`;
      const full = `replicationcontroller/${name}`;
      const metadata = { name };
      await create({
        apiVersion: "v1",
        kind: "ReplicationController",
        metadata,
        spec: { replicas: 1, template: template(name) },
      });
      expect(await ok(`wait --for=jsonpath={.status.readyReplicas}=1 ${it} --timeout=60s`)).toBe(
        `${full} condition met\n`,
      );
      for (const [verb, words] of [
        ["status", /no status viewer has been implemented/],
        ["history", /no history viewer has been implemented/],
        ["undo", /no rollbacker has been implemented/],
        ["restart", /restarting is not supported/],
        ["pause", /pausing is not supported/],
      ] as const)
        expect(await refused(`rollout ${verb} ${it}`)).toMatch(words);
      expect(await ok(`set image ${it} c=${otherName}`)).toBe(`${full} image updated\n`);
      expect(await ok(`set env ${it} A=1`)).toBe(`${full} env updated\n`);
      expect(await ok(`set resources ${it} --requests=cpu=5m`)).toBe(`${full} resource requirements updated\n`);
      expect(containerOf(await withName<WithTemplate>("rc", name))).toMatchObject({
        image: otherName,
        env: [{ name: "A", value: "1" }],
        resources: { requests: { cpu: "5m" } },
      });
      expect(await ok(`scale ${it} --replicas=2`)).toBe(`${full} scaled\n`);
      await ok(`wait --for=jsonpath={.status.readyReplicas}=2 ${it} --timeout=60s`);
      const images = (await podsOf(`app=${name}`)).map(
        ({ spec }) => (spec as unknown as typeof podSpec).containers[0]?.image,
      );
      expect(new Set(images)).toEqual(new Set(["busybox:1", otherName]));
      expect(await ok(`autoscale ${it} --min=2 --max=3 --cpu-percent=80`)).toContain("autoscaled\n");
      expect(await ok(`get hpa ${name} --no-headers`)).toContain(`ReplicationController/${name}`);
      expect(await ok(`describe hpa ${name}`)).toMatch(/Reference:\s+ReplicationController\/controller-/);
      await ok(`delete hpa ${name}`);
      expect(await ok(`delete ${it} --timeout=60s`)).toBe(`replicationcontroller "${name}" deleted\n`);
      await eventually("its pods are gone", async () => (await podsOf(`app=${name}`)).length === 0, 60_000);
    });

    test("of a ReplicaSet", async () => {
      const name = `set-${suffix}`;
      const it = `rs/${name}`;
      const full = `replicaset.apps/${name}`;
      await create({ apiVersion: "apps/v1", kind: "ReplicaSet", metadata: { name }, spec: specOf(name) });
      await ok(`wait --for=jsonpath={.status.readyReplicas}=1 ${it} --timeout=60s`);
      expect(await refused(`rollout history ${it}`)).toMatch(/no history viewer has been implemented/);
      expect(await ok(`set image ${it} c=${otherName}`)).toBe(`${full} image updated\n`);
      expect(await ok(`set env ${it} A=1`)).toBe(`${full} env updated\n`);
      expect(await ok(`scale ${it} --replicas=2`)).toBe(`${full} scaled\n`);
      await ok(`wait --for=jsonpath={.status.readyReplicas}=2 ${it} --timeout=60s`);
      expect(await ok(`autoscale ${it} --max=3`)).toContain("autoscaled\n");
      await ok(`delete hpa ${name}`);
      expect(await ok(`delete ${it} --timeout=60s`)).toBe(`${full.replace("/", ' "')}" deleted\n`);
    });

    test("of a HorizontalPodAutoscaler", async () => {
      const [name, target] = [`scaler-${suffix}`, `scaled-${suffix}`];
      await create({
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: target },
        spec: { replicas: 1, ...specOf(target) },
      });
      expect(await ok(`autoscale deployment ${target} --name ${name} --min=2 --max=3 --cpu-percent=70`)).toBe(
        `horizontalpodautoscaler.autoscaling/${name} autoscaled\n`,
      );
      // The autoscaler's lower bound applies regardless of the metrics.
      await ok(`wait --for=jsonpath={.spec.replicas}=2 deployment/${target} --timeout=60s`);
      expect(await ok(`wait --for=condition=AbleToScale hpa/${name} --timeout=60s`)).toContain("condition met\n");
      const described = await ok(`describe hpa ${name}`);
      expect(described).toMatch(/Min replicas:\s+2\n/);
      expect(described).toMatch(/Max replicas:\s+3\n/);
      // Both versions show the same object; later kubectls resolve short names to the preferred
      // one.
      expect(
        await ok(
          `get horizontalpodautoscalers.v1.autoscaling ${name} -o jsonpath={.spec.targetCPUUtilizationPercentage}`,
        ),
      ).toBe("70");
      expect(
        await ok(`get horizontalpodautoscalers.v2.autoscaling ${name} -o jsonpath={.spec.metrics[0].resource.target}`),
      ).toBe('{"averageUtilization":70,"type":"Utilization"}');
      expect(await ok(`patch hpa ${name} --type=merge -p {"spec":{"maxReplicas":5}}`)).toContain("patched\n");
      expect(await refused(`scale hpa/${name} --replicas=1`)).toMatch(
        /\(NotFound\)|could not find the requested resource/,
      );
      await ok(`delete hpa/${name} deployment/${target} --timeout=60s`);
    });

    test("of a Job and a CronJob", async () => {
      const [job, cron] = [`job-${suffix}`, `cron-${suffix}`];
      const imageArgs = "--image=busybox:1";
      expect(await ok(`create job ${job} ${imageArgs} -- echo done`)).toBe(`job.batch/${job} created\n`);
      expect(await ok(`wait --for=condition=complete job/${job} --timeout=60s`)).toBe(
        `job.batch/${job} condition met\n`,
      );
      expect(await ok(`logs job/${job}`)).toBe("done\n");
      expect(await refused(`set image job/${job} ${job}=${otherName}`)).toMatch(
        /spec\.template: Invalid value: .*field is immutable/s,
      );
      expect(await refused(`rollout status job/${job}`)).toMatch(/no status viewer has been implemented/);
      expect(await refused(`rollout restart job/${job}`)).toMatch(/restarting is not supported/);
      expect(await refused(`scale job/${job} --replicas=2`)).toMatch(
        /\(NotFound\)|could not find the requested resource/,
      );

      expect(await ok(`create cronjob ${cron} ${imageArgs} --schedule=@yearly -- echo by-hand`)).toBe(
        `cronjob.batch/${cron} created\n`,
      );
      expect(await ok(`set image cronjob/${cron} ${cron}=${otherName}`)).toBe(`cronjob.batch/${cron} image updated\n`);
      expect(await ok(`set env cronjob/${cron} A=1`)).toBe(`cronjob.batch/${cron} env updated\n`);
      expect(await ok(`set resources cronjob/${cron} --requests=cpu=5m`)).toBe(
        `cronjob.batch/${cron} resource requirements updated\n`,
      );
      const manual = `${cron}-by-hand`;
      expect(await ok(`create job ${manual} --from=cronjob/${cron}`)).toBe(`job.batch/${manual} created\n`);
      expect(await ok(`wait --for=condition=complete job/${manual} --timeout=60s`)).toContain("condition met\n");
      const made = await withName<WithTemplate>("job", manual);
      expect(made.metadata.annotations?.["cronjob.kubernetes.io/instantiate"]).toBe("manual");
      expect(containerOf(made)).toMatchObject({
        image: otherName,
        env: [{ name: "A", value: "1" }],
        resources: { requests: { cpu: "5m" } },
      });
      expect(await ok(`get cronjob ${cron}`)).toMatch(
        new RegExp(`${cron}\\s+@yearly\\s+<none>\\s+False\\s+0\\s+<none>`),
      );
      expect(await ok(`describe cronjob ${cron}`)).toMatch(/Schedule:\s+@yearly\n/);
      expect(await refused(`rollout status cronjob/${cron}`)).toMatch(/no status viewer has been implemented/);
      expect(await refused(`autoscale cronjob/${cron} --max=3`)).toMatch(/cannot autoscale/);
      await ok(`delete cronjob/${cron} job/${job} --timeout=60s`);
      // The owner's Job is removed with the owner.
      expect(await ok(`wait --for=delete job/${manual} --timeout=60s`)).toMatch(/condition met|^$/);
    });
  });
});
