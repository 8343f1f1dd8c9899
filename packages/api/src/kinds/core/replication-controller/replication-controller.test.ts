import { describe, expect, test } from "vitest";
import { anObject, template } from "../../../validation/testing/an-object.ts";
import { validateCreate, validateUpdate } from "../../../validation/validate.ts";
import { podTemplateKind } from "../pod-template/pod-template-kind.ts";
import { replicationControllerKind } from "./replication-controller-kind.ts";

const kind = replicationControllerKind;
const selector = { app: "web" };
const a = (body: object) => anObject(kind, body);
const faultsOf = (body: object) => validateCreate(kind, a(body)).map(({ field, message }) => `${field}: ${message}`);

describe("a ReplicationController gets", () => {
  test("one replica, and selector and labels from its template", () => {
    const { metadata, spec } = a({ spec: { template } });
    expect(metadata.labels).toEqual({ app: "web" });
    expect(spec).toMatchObject({ replicas: 1, selector: { app: "web" } });
    expect(spec?.template?.spec).toMatchObject({ restartPolicy: "Always" });
  });

  test("no selector or labels if it has its own", () => {
    const own = a({ metadata: { labels: { own: "1" } }, spec: { replicas: 0, selector: { own: "2" }, template } });
    expect(own.metadata.labels).toEqual({ own: "1" });
    expect(own.spec).toMatchObject({ replicas: 0, selector: { own: "2" } });
  });
});

test("a valid ReplicationController is created", () => expect(faultsOf({ spec: { template } })).toEqual([]));

const spec = { ...template.spec };
test.each<[string, object, string[]]>([
  ["no spec", {}, ["spec.selector: Required value"]],
  ["no template", { spec: { selector } }, ["spec.template: Required value"]],
  ["neither selector nor labels", { spec: { template: { spec } } }, ["spec.selector: Required value"]],
  [
    "a selector that does not match",
    { spec: { selector: { app: "db" }, template } },
    ['spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`'],
  ],
  [
    "negative counts",
    { spec: { replicas: -1, minReadySeconds: -2, template } },
    [
      "spec.minReadySeconds: Invalid value: -2: must be greater than or equal to 0",
      "spec.replicas: Invalid value: -1: must be greater than or equal to 0",
    ],
  ],
  [
    "pods that end",
    { spec: { template: { ...template, spec: { ...spec, restartPolicy: "Never", activeDeadlineSeconds: 5 } } } },
    [
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
      "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicationController is not Supported",
    ],
  ],
])("a ReplicationController with %s is rejected", (_what, body, faults) => expect(faultsOf(body)).toEqual(faults));

test("the selector may change, together with the template's labels", () => {
  const before = a({ metadata: { resourceVersion: "1" }, spec: { template } });
  const labels = { app: "db" };
  const after = a({
    metadata: { resourceVersion: "1" },
    spec: { selector: labels, template: { ...template, metadata: { labels } } },
  });
  expect(validateUpdate(kind, { after, before, subresource: "" })).toEqual([]);
});

test("no partial count exceeds the number of pods", () => {
  const before = a({ metadata: { resourceVersion: "1" }, spec: { template } });
  const after = {
    ...before,
    status: { replicas: 1, readyReplicas: 2, availableReplicas: 3, fullyLabeledReplicas: -1 },
  };
  const faults = validateUpdate(kind, { after, before, subresource: "status" });
  expect(faults.map(({ field, message }) => `${field}: ${message}`)).toEqual([
    "status.fullyLabeledReplicas: Invalid value: -1: must be greater than or equal to 0",
    "status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas",
    "status.availableReplicas: Invalid value: 3: cannot be greater than status.replicas",
    "status.availableReplicas: Invalid value: 3: cannot be greater than readyReplicas",
  ]);
});

test("the scale of a ReplicationController has the labels as a selector", () => {
  const object = { ...a({ spec: { replicas: 3, template } }), status: { replicas: 2 } };
  expect(kind.scale?.read(object)).toEqual({ wanted: 3, actual: 2, selector: "app=web" });
  kind.scale?.write(object, 5);
  expect(object.spec?.replicas).toBe(5);
});

test("a PodTemplate has its template validated", () => {
  const faults = (body: object) => validateCreate(podTemplateKind, anObject(podTemplateKind, body));
  expect(faults({ template })).toEqual([]);
  expect(faults({ template: { spec: { containers: [] } } }).map(({ field }) => field)).toEqual([
    "template.spec.containers",
  ]);
});
