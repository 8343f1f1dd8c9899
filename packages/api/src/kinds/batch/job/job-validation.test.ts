import { describe, expect, test } from "vitest";
import { parseObject } from "../../../parsing/parse-object.ts";
import { validateCreate } from "../../../validation/validate.ts";
import { applyDefaults } from "../../define-kind.ts";
import { aStoredJob, jobContainer } from "./testing/a-job.ts";
import { jobKind } from "./job-kind.ts";
import { generateJobSelector } from "./job-selector.ts";
import { validateJobTemplate } from "./job-validation.ts";
import { collectFaults } from "../../../validation/faults.ts";
import { type Job, JobTemplateSpec } from "./job.ts";

function faultsOf(job: Job): string[] {
  return validateCreate(jobKind, job).map(({ field, message }) => `${field}: ${message}`);
}

const never = { spec: { restartPolicy: "Never", containers: [jobContainer] } };
const indexed = { completionMode: "Indexed", completions: 3 };

describe("a Job gets", () => {
  test("upstream's defaults, and its template's labels", () => {
    const { metadata, spec } = aStoredJob({ template: { ...never, metadata: { labels: { app: "sum" } } } });
    expect(metadata.labels).toEqual({ app: "sum" });
    expect(spec).toMatchObject({
      completions: 1,
      parallelism: 1,
      backoffLimit: 6,
      completionMode: "NonIndexed",
      suspend: false,
      podReplacementPolicy: "TerminatingOrFailed",
      manualSelector: false,
    });
    expect(spec?.template.spec).toMatchObject({ terminationGracePeriodSeconds: 30, restartPolicy: "Never" });
  });

  test("no completions when it sets only its parallelism", () => {
    expect(aStoredJob({ parallelism: 2 }).spec).toMatchObject({ parallelism: 2 });
    expect(aStoredJob({ parallelism: 2 }).spec?.completions).toBeUndefined();
    expect(aStoredJob({ completions: 2 }).spec).toMatchObject({ completions: 2, parallelism: 1 });
  });

  test("defaults that follow from its policies", () => {
    const rules = [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget" }] }];
    const { spec } = aStoredJob({ ...indexed, backoffLimitPerIndex: 1, podFailurePolicy: { rules } });
    expect(spec).toMatchObject({ backoffLimit: 2 ** 31 - 1, podReplacementPolicy: "Failed" });
    expect(spec?.podFailurePolicy?.rules[0]?.onPodConditions).toEqual([{ type: "DisruptionTarget", status: "True" }]);
  });

  test("a selector and labels of its own", () => {
    const { spec } = aStoredJob({});
    expect(spec?.selector).toEqual({ matchLabels: { "batch.kubernetes.io/controller-uid": "uid-1" } });
    expect(spec?.template.metadata?.labels).toEqual({
      "controller-uid": "uid-1",
      "batch.kubernetes.io/controller-uid": "uid-1",
      "job-name": "sum",
      "batch.kubernetes.io/job-name": "sum",
    });
  });

  test("no selector if its author sets one", () => {
    const labels = { app: "mine" };
    const manual = { manualSelector: true, selector: { matchLabels: labels } };
    const job = aStoredJob({ ...manual, template: { ...never, metadata: { labels } } });
    expect(job.spec?.template.metadata?.labels).toEqual(labels);
    expect(faultsOf(job)).toEqual([]);
  });
});

describe("a valid Job is created:", () => {
  test.each<[string, object]>([
    ["the smallest", {}],
    ["a work queue", { parallelism: 3 }],
    [
      "with every policy",
      {
        ...indexed,
        backoffLimitPerIndex: 1,
        maxFailedIndexes: 2,
        podFailurePolicy: {
          rules: [
            { action: "FailJob", onExitCodes: { containerName: "c", operator: "In", values: [1, 42] } },
            { action: "FailIndex", onExitCodes: { operator: "NotIn", values: [0, 3] } },
            { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget" }] },
          ],
        },
        successPolicy: { rules: [{ succeededIndexes: "0,2", succeededCount: 1 }] },
        managedBy: "kubernetes.io/job-controller",
        ttlSecondsAfterFinished: 0,
        activeDeadlineSeconds: 0,
      },
    ],
  ])("%s", (_what, spec) => {
    expect(faultsOf(aStoredJob(spec))).toEqual([]);
  });
});

const rule = (matcher: object, action = "Ignore") => ({ podFailurePolicy: { rules: [{ action, ...matcher }] } });
const exitCodes = (requirement: object) => rule({ onExitCodes: { operator: "In", values: [1], ...requirement } });
const success = (successRule: object) => ({ ...indexed, successPolicy: { rules: [successRule] } });
const [policyRule, successRule] = ["spec.podFailurePolicy.rules[0]", "spec.successPolicy.rules[0]"];
const negative = "must be greater than or equal to 0";

describe("a new Job is rejected:", () => {
  test.each<[string, object, string[]]>([
    [
      "with a negative number of pods",
      { completions: -1, parallelism: -2, backoffLimit: -3 },
      [
        `spec.parallelism: Invalid value: -2: ${negative}`,
        `spec.completions: Invalid value: -1: ${negative}`,
        `spec.backoffLimit: Invalid value: -3: ${negative}`,
      ],
    ],
    [
      "of pods that never end",
      { template: { spec: { containers: [jobContainer] } } },
      ['spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
    ],
    [
      "of pods with an unknown policy",
      { template: { spec: { restartPolicy: "Maybe", containers: [jobContainer] } } },
      [
        'spec.template.spec.restartPolicy: Unsupported value: "Maybe": supported values: "Always", "OnFailure", "Never"',
        'spec.template.spec.restartPolicy: Unsupported value: "Maybe": supported values: "OnFailure", "Never"',
      ],
    ],
    [
      "with a selector of its own without manualSelector",
      { selector: { matchLabels: { app: "x" } } },
      [
        `spec.selector: Invalid value: {"matchLabels":{"app":"x","batch.kubernetes.io/controller-uid":"uid-1"}}: \`selector\` not auto-generated`,
        'spec.template.metadata.labels: Invalid value: {"job-name":"sum","batch.kubernetes.io/job-name":"sum","controller-uid":"uid-1","batch.kubernetes.io/controller-uid":"uid-1"}: `selector` does not match template `labels`',
      ],
    ],
    [
      "with the label of another Job",
      { template: { ...never, metadata: { labels: { "job-name": "other" } } } },
      [
        `spec.template.metadata.labels[job-name]: Invalid value: {"job-name":"other","batch.kubernetes.io/job-name":"sum","controller-uid":"uid-1","batch.kubernetes.io/controller-uid":"uid-1"}: must be 'sum'`,
      ],
    ],
    [
      "with a manual selector that is missing",
      { manualSelector: true },
      [
        "spec.selector: Required value",
        "spec.template.metadata.labels: Invalid value: {}: `selector` does not match template `labels`",
      ],
    ],
    [
      "without the size of its index",
      { completionMode: "Indexed", parallelism: 1 },
      ["spec.completions: Required value: when completion mode is Indexed"],
    ],
    [
      "in an unknown mode",
      { completionMode: "Sorted" },
      ['spec.completionMode: Unsupported value: "Sorted": supported values: "NonIndexed", "Indexed"'],
    ],
    [
      "with limits for an index although it is not indexed",
      { backoffLimitPerIndex: 1, maxFailedIndexes: 1 },
      [
        "spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode",
        "spec.maxFailedIndexes: Invalid value: 1: requires indexed completion mode",
      ],
    ],
    [
      "with a limit of failed indexes alone",
      { ...indexed, maxFailedIndexes: 4 },
      [
        "spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified",
        "spec.maxFailedIndexes: Invalid value: 4: must be less than or equal to completions",
      ],
    ],
    [
      "with more indexes than a status can name",
      { ...indexed, completions: 100_001, parallelism: 100_001, backoffLimitPerIndex: 1 },
      [
        "spec.parallelism: Invalid value: 100001: must be less than or equal to 100000 when completion mode is Indexed",
        "spec.maxFailedIndexes: Required value: must be specified when completions is above 100000",
        "spec.parallelism: Invalid value: 100001: must be less than or equal to 10000 when completions are above 100000 and used with backoff limit per index",
      ],
    ],
    [
      "managed by a name without a domain",
      { managedBy: "me" },
      ['spec.managedBy: Invalid value: "me": must be a domain-prefixed path (such as "acme.io/foo")'],
    ],
    [
      "managed by an invalid path",
      { managedBy: `a.b/${"#".repeat(60)}` },
      [
        `spec.managedBy: Invalid value: "${"#".repeat(60)}": Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')`,
        "spec.managedBy: Too long: may not be more than 63 bytes",
      ],
    ],
    [
      "with an unknown replacement policy",
      { podReplacementPolicy: "Never" },
      ['spec.podReplacementPolicy: Unsupported value: "Never": supported values: "Failed", "TerminatingOrFailed"'],
    ],
    [
      "with a replacement policy that its failure policy excludes",
      { ...exitCodes({}), podReplacementPolicy: "TerminatingOrFailed" },
      ['spec.podReplacementPolicy: Unsupported value: "TerminatingOrFailed": supported values: "Failed"'],
    ],
    [
      "with a failure policy of containers that restart",
      { ...exitCodes({}), template: { spec: { restartPolicy: "OnFailure", containers: [jobContainer] } } },
      [
        'spec.template.spec.restartPolicy: Invalid value: "OnFailure": only "Never" is supported when podFailurePolicy is specified',
      ],
    ],
    [
      "with a rule without an action",
      rule({ onPodConditions: [{ type: "Ready" }] }, ""),
      [`${policyRule}.action: Required value: valid values: ["Count" "FailIndex" "FailJob" "Ignore"]`],
    ],
    [
      "with a rule of an unknown action",
      rule({ onPodConditions: [{ type: "Ready" }] }, "Panic"),
      [`${policyRule}.action: Unsupported value: "Panic": supported values: "Count", "FailIndex", "FailJob", "Ignore"`],
    ],
    [
      "with a rule for an index although it is not indexed",
      rule({ onPodConditions: [{ type: "Ready" }] }, "FailIndex"),
      [`${policyRule}.action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set`],
    ],
    [
      "with an empty rule",
      rule({}),
      [`${policyRule}: Invalid value: specifying one of OnExitCodes and OnPodConditions is required`],
    ],
    [
      "with a rule of both exit codes and conditions",
      rule({ onExitCodes: { operator: "In", values: [1] }, onPodConditions: [{ type: "Ready", status: "Maybe" }] }),
      [
        `${policyRule}.onPodConditions[0].status: Unsupported value: "Maybe": supported values: "False", "True", "Unknown"`,
        `${policyRule}: Invalid value: specifying both OnExitCodes and OnPodConditions is not supported`,
      ],
    ],
    [
      "with exit codes of a missing container, repeated, unordered and zero",
      exitCodes({ containerName: "d", values: [2, 0, 2] }),
      [
        `${policyRule}.onExitCodes.containerName: Invalid value: "d": must be one of the container or initContainer names in the pod template`,
        `${policyRule}.onExitCodes.values[1]: Invalid value: 0: must not be 0 for the In operator`,
        `${policyRule}.onExitCodes.values[2]: Duplicate value: 2`,
        `${policyRule}.onExitCodes.values: Invalid value: [2,0,2]: must be ordered`,
      ],
    ],
    [
      "without exit codes",
      exitCodes({ operator: "", values: [] }),
      [
        `${policyRule}.onExitCodes.operator: Required value: valid values: ["In" "NotIn"]`,
        `${policyRule}.onExitCodes.values: Invalid value: []: at least one value is required`,
      ],
    ],
    [
      "with too many exit codes",
      exitCodes({ values: Array.from({ length: 256 }, (_, index) => index + 1) }),
      [`${policyRule}.onExitCodes.values: Too many: 256: must have at most 255 items`],
    ],
    [
      "with too many rules",
      {
        podFailurePolicy: {
          rules: Array.from({ length: 21 }, () => ({ action: "Count", onExitCodes: { operator: "In", values: [1] } })),
        },
      },
      ["spec.podFailurePolicy.rules: Too many: 21: must have at most 20 items"],
    ],
    [
      "with a success policy without indexes",
      { successPolicy: { rules: [] } },
      ['spec.successPolicy: Invalid value: {"rules":[]}: requires indexed completion mode'],
    ],
    [
      "with a success policy without rules",
      { ...indexed, successPolicy: { rules: [] } },
      [
        "spec.successPolicy.rules: Required value: at least one rules must be specified when the successPolicy is specified",
      ],
    ],
    [
      "with an empty rule of success",
      success({}),
      [`${successRule}: Required value: at least one of succeededCount or succeededIndexes must be specified`],
    ],
    [
      "with a rule of success that can never match",
      success({ succeededIndexes: "0-1", succeededCount: 4 }),
      [
        `${successRule}.succeededCount: Invalid value: 4: must be less than or equal to 3 (the number of specified completions)`,
        `${successRule}.succeededCount: Invalid value: 4: must be less than or equal to 2 (the number of indexes in the specified succeededIndexes field)`,
      ],
    ],
    ...Object.entries({
      "1-2-3": `the fragment "1-2-3" violates the requirement that an index interval can have at most two parts separated by '-'`,
      "3": 'too large index: "3"',
      "0-3": 'too large index: "3"',
      x: 'cannot convert string to integer for index: "x"',
      "-1": 'cannot convert string to integer for index: ""',
      "2,1": "non-increasing order, previous: 2, current: 1",
      "1-1": "non-increasing order, previous: 1, current: 1",
    }).map<[string, object, string[]]>(([indexes, problem]) => [
      `with a rule of success for the indexes ${indexes}`,
      success({ succeededIndexes: indexes }),
      [`${successRule}.succeededIndexes: Invalid value: "${indexes}": error parsing succeededIndexes: ${problem}`],
    ]),
  ])("%s", (_what, spec, faults) => {
    expect(faultsOf(aStoredJob(spec))).toEqual(faults);
  });

  test("whose pods could not have their hostnames", () => {
    const name = "a".repeat(62);
    const faults = faultsOf(aStoredJob(indexed, name));
    expect(faults).toEqual([
      `metadata.name: Invalid value: "${name}": will not able to create pod with invalid DNS label: ${name}-2`,
    ]);
  });

  test("without a spec", () => {
    const job = applyDefaults(jobKind, parseObject<Job>(jobKind.schema, jobKind.type, { metadata: { name: "sum" } }));
    generateJobSelector(job);
    expect(faultsOf(job)).toContain("spec.template: Required value");
  });
});

test("a template of Jobs cannot have a selector", () => {
  const template = JobTemplateSpec.parse({
    spec: { selector: { matchLabels: { a: "b" } }, manualSelector: true, template: {} },
  });
  const faults = collectFaults((list) => validateJobTemplate(template, "spec.jobTemplate", list));
  expect(faults.map(({ field, message }) => `${field}: ${message}`)).toEqual(
    expect.arrayContaining([
      'spec.jobTemplate.spec.selector: Invalid value: {"matchLabels":{"a":"b"}}: `selector` will be auto-generated',
      'spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "nil", "false"',
      'spec.jobTemplate.spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
    ]),
  );
});
