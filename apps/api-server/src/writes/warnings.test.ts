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
  // Each of the limits may be exceeded separately.
  expect(await warningOf(`${path}/jobs`, aJob("wide", { ...indexed, completions: 100_000 }))).toEqual([201, undefined]);
  expect(await warningOf(`${path}/jobs`, aJob("many", indexed))).toEqual([201, manyIndexes("spec")]);
  expect(await warningOf(`${path}/cronjobs`, aCronJob("a.b"))).toEqual([201, advice]);
  expect(await warningOf(`${path}/cronjobs`, aCronJob("many", indexed))).toEqual([
    201,
    manyIndexes("spec.jobTemplate.spec"),
  ]);
});

test("a relevant change causes a warning, and another change does not", async () => {
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

const fractional = 'fractional byte value "1500m" is invalid, must be an integer';
const odd = {
  spec: {
    containers: [
      { name: "c", image: "busybox:1", resources: { limits: { memory: "1500m" }, requests: { memory: "1" } } },
    ],
  },
};
const labelled = { metadata: { labels: { app: "a" } }, ...odd };
const plain = { metadata: labelled.metadata, spec: { containers: template.spec.containers } };
const selector = { matchLabels: { app: "a" } };
const once = { spec: { ...odd.spec, restartPolicy: "Never" } };
const claim = {
  metadata: { name: "data" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1500m" } } },
};

type Kind = [kind: string, url: string, body: object, path: string];
const kinds: Kind[] = [
  ["Pod", "/api/v1/namespaces/default/pods", odd, "spec"],
  ["PodTemplate", "/api/v1/namespaces/default/podtemplates", { template: odd }, "template.spec"],
  [
    "ReplicationController",
    "/api/v1/namespaces/default/replicationcontrollers",
    { spec: { selector: { app: "a" }, template: labelled } },
    "spec.template.spec",
  ],
  ...["Deployment", "ReplicaSet", "DaemonSet", "StatefulSet"].map((kind): Kind => [
    kind,
    `/apis/apps/v1/namespaces/default/${kind.toLowerCase()}s`,
    { spec: { selector, template: labelled } },
    "spec.template.spec",
  ]),
  ["Job", `${path}/jobs`, { spec: { template: once } }, "spec.template.spec"],
  [
    "CronJob",
    `${path}/cronjobs`,
    { spec: { schedule: "@daily", jobTemplate: { spec: { template: once } } } },
    "spec.jobTemplate.spec.template.spec",
  ],
];

test.each(kinds)(
  "a mistake in the containers of a %s causes a single warning when it is created",
  async (kind, url, body, at) => {
    await using server = await TestServer.start();
    const apiVersion = url.startsWith("/api/") ? "v1" : url.split("/").slice(2, 4).join("/");
    const made = await server.post(url, { apiVersion, kind, metadata: { name: "a" }, ...body });
    const warning = `299 - ${JSON.stringify(`${at}.containers[0].resources.limits[memory]: ${fractional}`)}`;
    expect([made.status, made.headers["warning"]]).toEqual([201, warning]);
    const metadata = { ...made.json.metadata, labels: { b: "c" } };
    const again = await server.put(`${url}/a`, { ...made.json, metadata });
    expect([again.status, again.headers["warning"]]).toEqual([200, undefined]);
  },
);

test("a StatefulSet's claims and its unlimited history cause a warning", async () => {
  await using server = await TestServer.start();
  const made = await server.post("/apis/apps/v1/namespaces/default/statefulsets", {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "a" },
    spec: { selector, template: plain, volumeClaimTemplates: [claim], revisionHistoryLimit: -1 },
  });
  expect(made.status).toBe(201);
  expect(made.headers["warning"]).toBe(
    [
      `299 - ${JSON.stringify(`spec.volumeClaimTemplates[0].resources.requests[storage]: ${fractional}`)}`,
      '299 - "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended"',
    ].join(", "),
  );
});

test("names that cannot begin the hostnames of pods cause a warning", async () => {
  await using server = await TestServer.start();
  const made = await server.post("/apis/apps/v1/namespaces/default/deployments", {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "a.b" },
    spec: { selector, template: plain },
  });
  expect([made.status, made.headers["warning"]]).toEqual([201, advice]);
});
