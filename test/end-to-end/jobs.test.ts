import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { workloadKubectls, sayWhyNot, whyNoKubectlCluster } from "../support/host-abilities.ts";
import { type KubernetesObject, type LabCluster, startLabCluster } from "../support/lab-cluster.ts";
import { eventually } from "../support/run-program.ts";
import { showsEvents } from "../support/observe/shows-events.ts";
import { onlyInAllSamples } from "../support/samples.ts";

const kubectls = workloadKubectls();
const lacking = whyNoKubectlCluster();
sayWhyNot("Jobs", lacking);

let cluster: LabCluster;
if (lacking === undefined) {
  beforeAll(async () => {
    cluster = await startLabCluster({ name: "jobs", nodes: 2 });
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());
}

type WithJobStatus = KubernetesObject & {
  status: {
    succeeded?: number;
    failed?: number;
    active?: number;
    terminating?: number;
    completedIndexes?: string;
    uncountedTerminatedPods?: object;
  };
};

const aJob = (name: string, spec: object, script: string) =>
  JSON.stringify({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name },
    spec: {
      ...spec,
      template: {
        spec: {
          restartPolicy: "Never",
          terminationGracePeriodSeconds: 0,
          containers: [{ name: "c", image: "busybox:1", command: ["sh", "-c", script] }],
        },
      },
    },
  });

const jobOf = (name: string) => cluster.get<WithJobStatus>("job", name);
const podsOf = async (name: string) =>
  (await cluster.get<{ items: KubernetesObject[] }>("pods", "-l", `job-name=${name}`)).items;
const waitFor = (name: string, condition: string) =>
  cluster.kubectl("wait", `job/${name}`, `--for=condition=${condition}`, "--timeout=60s");
const reasonOf = async (name: string, type: string) =>
  (await jobOf(name)).status.conditions?.find((condition) => condition.type === type)?.reason;

describe.skipIf(lacking !== undefined).concurrent("a Job on real containers", () => {
  test.each(kubectls)(
    "kubectl %s creates a Job, waits for it, shows it, reads its log and deletes it",
    async (version, kubectl) => {
      const name = `hello-${version.replaceAll(".", "-").toLowerCase()}`;
      const ok = async (...args: string[]) => {
        const { code, stdout, stderr } = await cluster.tryKubectl(args, { program: kubectl });
        if (code !== 0) throw new Error(`kubectl ${args.join(" ")} ended with ${code}: ${stdout}${stderr}`);
        return stdout;
      };
      expect(await ok("create", "job", name, "--image=busybox:1", "--", "echo", "done by a job")).toBe(
        `job.batch/${name} created\n`,
      );
      expect(await ok("wait", `job/${name}`, "--for=condition=complete", "--timeout=60s")).toBe(
        `job.batch/${name} condition met\n`,
      );
      const shown = await ok("get", "jobs", name, "-o", "wide");
      expect(shown).toMatch(/NAME\s+STATUS\s+COMPLETIONS\s+DURATION\s+AGE\s+CONTAINERS\s+IMAGES\s+SELECTOR\n/);
      expect(shown).toMatch(
        new RegExp(`${name}\\s+Complete\\s+1/1\\s+\\d+s\\s+\\d+s\\s+${name}\\s+busybox:1\\s+batch.kuber`),
      );
      expect(await ok("logs", `job/${name}`)).toBe("done by a job\n");
      const describeJob = () => ok("describe", "job", name);
      const described = await describeJob();
      for (const line of [
        /Parallelism:\s+1/,
        /Completions:\s+1/,
        /Completion Mode:\s+NonIndexed/,
        /Pods Statuses:\s+0 Active(?: \(0 Ready\))? \/ 1 Succeeded \/ 0 Failed/,
      ])
        expect(described).toMatch(line);
      await showsEvents(cluster, describeJob, [
        new RegExp(`Normal\\s+SuccessfulCreate\\s.*job-controller\\s+Created pod: ${name}-\\w+`),
        /Normal\s+Completed\s.*job-controller\s+Job completed/,
      ]);
      const [pod] = (await podsOf(name)) as [KubernetesObject];
      expect(pod.status).toMatchObject({
        phase: "Succeeded",
        containerStatuses: [{ state: { terminated: { exitCode: 0 } } }],
      });
      expect(pod.status.conditions).toContainEqual(
        expect.objectContaining({ type: "Ready", status: "False", reason: "PodCompleted" }),
      );
      expect(await ok("delete", "job", name, "--timeout=30s")).toContain(`job.batch "${name}" deleted`);
      await eventually("its pods are gone", async () => (await podsOf(name)).length === 0);
    },
  );

  test.each(kubectls)(
    "kubectl %s creates a CronJob, runs it by hand, suspends it, shows it and deletes it with its Jobs",
    async (version, kubectl) => {
      const name = `tick-${version.replaceAll(".", "-").toLowerCase()}`;
      const ok = async (...args: string[]) => {
        const { code, stdout, stderr } = await cluster.tryKubectl(args, { program: kubectl });
        if (code !== 0) throw new Error(`kubectl ${args.join(" ")} ended with ${code}: ${stdout}${stderr}`);
        return stdout;
      };
      // Not due while the test runs.
      const schedule = "0 0 30 2 *";
      const never = await cluster.tryKubectl(
        ["create", "cronjob", name, "--image=busybox:1", "--schedule=61 * * * *", "--", "true"],
        { program: kubectl },
      );
      expect(never.stderr).toContain('spec.schedule: Invalid value: "61 * * * *"');
      expect(
        await ok("create", "cronjob", name, "--image=busybox:1", `--schedule=${schedule}`, "--", "echo", "tick"),
      ).toBe(`cronjob.batch/${name} created\n`);
      expect(await ok("get", "cronjob", name)).toMatch(
        new RegExp(`NAME.*\n${name}\\s+0 0 30 2 \\*\\s+<none>\\s+False\\s+0\\s+<none>\\s+\\d+s\n`),
      );
      const job = `${name}-by-hand`;
      expect(await ok("create", "job", job, `--from=cronjob/${name}`)).toBe(`job.batch/${job} created\n`);
      await ok("wait", `job/${job}`, "--for=condition=complete", "--timeout=60s");
      expect(await ok("logs", `job/${job}`)).toBe("tick\n");
      const { metadata } = await cluster.get<KubernetesObject & { metadata: { ownerReferences: object[] } }>(
        "job",
        job,
      );
      expect(metadata.annotations).toMatchObject({ "cronjob.kubernetes.io/instantiate": "manual" });
      expect(metadata.ownerReferences).toEqual([expect.objectContaining({ kind: "CronJob", name })]);
      expect(await ok("patch", "cronjob", name, "-p", '{"spec":{"suspend":true}}')).toBe(
        `cronjob.batch/${name} patched\n`,
      );
      expect(await ok("get", "cronjob", name, "--no-headers")).toMatch(/\sTrue\s/);
      const described = await ok("describe", "cronjob", name);
      for (const line of [
        /Schedule:\s+0 0 30 2 \*/,
        /Concurrency Policy:\s+Allow/,
        /Suspend:\s+True/,
        /Successful Job History Limit:\s+3/,
        /Last Schedule Time:\s+<unset>/,
      ])
        expect(described).toMatch(line);
      expect(await ok("delete", "cronjob", name, "--timeout=30s")).toContain(`cronjob.batch "${name}" deleted`);
      await eventually("its Job and the pods are gone", async () => {
        const left = await ok("get", "jobs,pods", "-o", "name");
        return !left.includes(name);
      });
    },
  );

  test("fails at its limit, by its policy, by its deadline, and with the exit codes of its containers", async () => {
    await cluster.apply(aJob("limited", { backoffLimit: 0 }, "exit 7"));
    const rules = [{ action: "FailJob", onExitCodes: { containerName: "c", operator: "In", values: [42] } }];
    await cluster.apply(aJob("policed", { podFailurePolicy: { rules } }, "exit 42"));
    await cluster.apply(aJob("late", { activeDeadlineSeconds: 2 }, "sleep 60"));
    for (const name of ["limited", "policed", "late"]) await waitFor(name, "failed");
    expect([
      await reasonOf("limited", "Failed"),
      await reasonOf("policed", "Failed"),
      await reasonOf("late", "Failed"),
    ]).toEqual(["BackoffLimitExceeded", "PodFailurePolicy", "DeadlineExceeded"]);
    const [failed] = (await podsOf("limited")) as [KubernetesObject];
    expect(failed.status).toMatchObject({
      phase: "Failed",
      containerStatuses: [{ state: { terminated: { exitCode: 7 } } }],
    });
    expect((await jobOf("late")).status).toMatchObject({ failed: 1, terminating: 0 });
  });

  test("runs each index with its number, is suspended and resumed, and is removed at the end of its lifetime", async () => {
    const spec = {
      completions: 3,
      parallelism: 3,
      completionMode: "Indexed",
      suspend: true,
    };
    await cluster.apply(aJob("indexed", spec, 'echo "$JOB_COMPLETION_INDEX $HOSTNAME"; sleep 1'));
    await waitFor("indexed", "suspended");
    expect(await podsOf("indexed")).toEqual([]);
    await cluster.kubectl("patch", "job", "indexed", "-p", '{"spec":{"suspend":false}}');
    await waitFor("indexed", "complete");
    expect((await jobOf("indexed")).status).toMatchObject({ succeeded: 3, completedIndexes: "0-2" });
    const logs = await cluster.kubectl("logs", "-l", "job-name=indexed");
    expect(logs.trim().split("\n").toSorted()).toEqual(["0 indexed-0", "1 indexed-1", "2 indexed-2"]);
    await cluster.kubectl("patch", "job", "indexed", "-p", '{"spec":{"ttlSecondsAfterFinished":1}}');
    await eventually("the Job and its pods are gone", async () => {
      const left = await cluster.kubectl("get", "jobs,pods", "-l", "job-name=indexed", "-o", "name");
      return left === "";
    });
  });
});

onlyInAllSamples(() => {
  test.skipIf(lacking !== undefined)(
    "a Job of 50 completions has exactly 50 when a node is killed in the middle, and ends once the node returns",
    async () => {
      const spec = { completions: 50, parallelism: 10, backoffLimit: 50 };
      // Pods still succeed after the node's pods are evicted, which ends the delay after five
      // consecutive failures: 160 s.
      await cluster.apply(aJob("many", spec, "sleep 2"));
      await eventually("the first have succeeded", async () => ((await jobOf("many")).status.succeeded ?? 0) >= 5);
      await cluster.kintsugi("node", "kill", "node-2");
      // The dead node's pods have failed and are replaced; the end waits until they no longer
      // exist.
      await waitFor("many", "SuccessCriteriaMet");
      // The last successes are listed as uncounted when the condition is set; a later write counts
      // them.
      await eventually("every success is counted", async () => {
        const { uncountedTerminatedPods = {} } = (await jobOf("many")).status;
        return Object.keys(uncountedTerminatedPods).length === 0;
      });
      expect((await jobOf("many")).status.succeeded).toBe(50);
      await cluster.kintsugi("node", "return", "node-2");
      await waitFor("many", "complete");
      const { status } = await jobOf("many");
      expect(status).toMatchObject({ succeeded: 50, terminating: 0, uncountedTerminatedPods: {} });
      const held = (await podsOf("many")).filter(({ metadata }) => "finalizers" in metadata);
      expect(held).toEqual([]);
    },
  );
});
