import { expect } from "vitest";
import { type AreaTest, describeArea } from "./area.ts";
import {
  advance,
  type Answer,
  type ConformanceClient,
  eventuallyInTime,
  expectStatus,
  type Json,
} from "./conformance-cluster.ts";

/* oxlint-disable vitest/no-standalone-expect -- describeArea makes tests of these functions. */

// CronJobs, and the expiration of list tokens, take minutes. The cluster's clock is steered.

/** Creates a CronJob that starts a Job each minute, which runs for five minutes. */
async function everyMinute(api: ConformanceClient, concurrencyPolicy: string, suspend = false) {
  const group = `/apis/batch/v1/namespaces/${await api.namespace("cronjob")}`;
  const template = {
    metadata: { annotations: { "kintsugi.dev/script": "sleep 300" } },
    spec: { restartPolicy: "OnFailure", containers: [{ name: "c", image: "example.com/worker" }] },
  };
  const spec = { schedule: "*/1 * * * ?", concurrencyPolicy, suspend, jobTemplate: { spec: { template } } };
  const cronJob = { apiVersion: "batch/v1", kind: "CronJob", metadata: { name: "e2e" }, spec };
  await expectStatus(201, api.post(`${group}/cronjobs`, cronJob));
  const path = `${group}/cronjobs/e2e`;
  const jobs = `${group}/jobs`;
  return {
    jobs: async (): Promise<Json[]> => (await expectStatus(200, api.get(jobs))).items ?? [],
    /** Waits until the names of the active Jobs satisfy `isRight`, and returns these names. */
    active: async (isRight: (names: readonly string[]) => boolean): Promise<string[]> => {
      const active = async () =>
        ((await expectStatus(200, api.get(path))).status?.active ?? []).map(({ name }: Json) => name);
      return eventuallyInTime(api, active, isRight, { step: "10s" });
    },
    remove: () => expectStatus(200, api.delete(path)),
  };
}

const test = (tier: AreaTest["tier"], codename: string, check: AreaTest["check"]): AreaTest => ({
  tier,
  codename,
  check,
});

const tests: AreaTest[] = [
  test("B", "[sig-apps] CronJob should not schedule jobs when suspended [Conformance] [Slow]", async (api) => {
    const { jobs, remove } = await everyMinute(api, "Allow", true);
    await advance(api, "5m");
    expect(await jobs()).toEqual([]);
    await remove();
  }),
  test(
    "C",
    "[sig-apps] CronJob should not schedule new jobs when ForbidConcurrent [Conformance] [Slow]",
    async (api) => {
      const { jobs, active, remove } = await everyMinute(api, "Forbid");
      const [first] = await active(({ length }) => length === 1);
      await advance(api, "3m");
      expect((await jobs()).map(({ metadata }) => metadata.name)).toEqual([first]);
      await remove();
    },
  ),
  test("C", "[sig-apps] CronJob should replace jobs when ReplaceConcurrent [Conformance]", async (api) => {
    const { active, remove } = await everyMinute(api, "Replace");
    const [first] = await active(({ length }) => length === 1);
    const [second] = await active((names) => names.length === 1 && names[0] !== first);
    expect(second).toMatch(/^e2e-\d+$/);
    await remove();
  }),
  test("C", "[sig-apps] CronJob should schedule multiple jobs concurrently [Conformance]", async (api) => {
    const { jobs, active, remove } = await everyMinute(api, "Allow");
    const names = await active(({ length }) => length >= 2);
    const unfinished = (await jobs()).filter(({ status }) => (status?.active ?? 0) > 0);
    expect(new Set(unfinished.map(({ metadata }) => metadata.name as string))).toEqual(new Set(names));
    await remove();
  }),
  test(
    "A",
    "[sig-api-machinery] Servers with support for API chunking should support continue listing from the last key if the original version has been compacted away, though the list is inconsistent [Conformance] [Slow]",
    async (api) => {
      const path = `/api/v1/namespaces/${await api.namespace("chunks")}/podtemplates`;
      const template = { spec: { containers: [{ name: "c", image: "busybox" }] } };
      const [total, limit] = [40, 4];
      const nameOf = (index: number) => `template-${String(index).padStart(4, "0")}`;
      const create = (name: string) =>
        expectStatus(201, api.post(path, { apiVersion: "v1", kind: "PodTemplate", metadata: { name }, template }));
      for (let index = 0; index < total; index++) await create(nameOf(index));
      const page = (token: string) =>
        api.get(`${path}?limit=${limit}${token === "" ? "" : `&continue=${encodeURIComponent(token)}`}`);
      const first = await expectStatus(200, page(""));
      expect(first.items).toHaveLength(limit);
      // The object was created after the first page, so only the inconsistent rest of the list
      // includes it.
      await create("template-later");
      const expired: Answer = await eventuallyInTime(
        api,
        () => page(first.metadata.continue),
        ({ status }) => status === 410,
        { step: "1m" },
      );
      expect(expired.json.reason).toBe("Expired");
      const found: string[] = [];
      let [token, revision] = [expired.json.metadata.continue, ""];
      expect(token ?? "").not.toBe("");
      do {
        const list = await expectStatus(200, page(token));
        revision ||= list.metadata.resourceVersion;
        expect(list.metadata.resourceVersion).toBe(revision);
        expect(list.items.length).toBeLessThanOrEqual(limit);
        found.push(...list.items.map(({ metadata }: Json) => metadata.name));
        token = list.metadata.continue ?? "";
      } while (token !== "");
      expect(revision).not.toBe(first.metadata.resourceVersion);
      const rest = Array.from({ length: total - limit }, (_, index) => nameOf(index + limit));
      expect(found).toEqual([...rest, "template-later"]);
    },
  ),
];

describeArea(tests, "--clock=steered");
