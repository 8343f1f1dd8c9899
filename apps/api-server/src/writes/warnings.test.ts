import { expect, test } from "vitest";
import { TestServer } from "../testing/test-server.ts";

const path = "/apis/batch/v1/namespaces/default";
const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "busybox:1" }] } };
const indexed = { completionMode: "Indexed", completions: 100_001, parallelism: 10_001 };

const aJob = (name: string, spec: object = {}) => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name },
  spec: { template, ...spec },
});
const aCronJob = (name: string, spec: object = {}) => ({
  apiVersion: "batch/v1",
  kind: "CronJob",
  metadata: { name },
  spec: { schedule: "@daily", jobTemplate: { spec: { template, ...spec } } },
});

const manyIndexes = (field: string) =>
  `299 - "${field}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail"`;
const advice =
  "299 - \"metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')]\"";

test("a new Job and a new CronJob are answered with upstream's warnings", async () => {
  await using server = await TestServer.start();
  const warningOf = async (url: string, body: object) => {
    const { status, headers } = await server.post(url, body);
    return [status, headers["warning"]];
  };
  expect(await warningOf(`${path}/jobs`, aJob("plain"))).toEqual([201, undefined]);
  expect(await warningOf(`${path}/jobs`, aJob("a.b"))).toEqual([201, advice]);
  // Each of the limits may be passed by itself.
  expect(await warningOf(`${path}/jobs`, aJob("wide", { ...indexed, completions: 100_000 }))).toEqual([201, undefined]);
  expect(await warningOf(`${path}/jobs`, aJob("many", indexed))).toEqual([201, manyIndexes("spec")]);
  expect(await warningOf(`${path}/cronjobs`, aCronJob("a.b"))).toEqual([201, advice]);
  expect(await warningOf(`${path}/cronjobs`, aCronJob("many", indexed))).toEqual([
    201,
    manyIndexes("spec.jobTemplate.spec"),
  ]);
});

test("a change is warned of, and one of anything else is not", async () => {
  await using server = await TestServer.start();
  const { json: cronJob } = await server.post(`${path}/cronjobs`, aCronJob("tick"));
  const url = `${path}/cronjobs/tick`;
  cronJob.spec.jobTemplate.spec = { ...cronJob.spec.jobTemplate.spec, ...indexed };
  const changed = await server.put(url, cronJob);
  expect([changed.status, changed.headers["warning"]]).toEqual([200, manyIndexes("spec.jobTemplate.spec")]);
  const labelled = await server.put(url, {
    ...changed.json,
    metadata: { ...changed.json.metadata, labels: { a: "b" } },
  });
  expect([labelled.status, labelled.headers["warning"]]).toEqual([200, undefined]);
});
