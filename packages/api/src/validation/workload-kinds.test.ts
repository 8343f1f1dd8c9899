import { describe, expect, test } from "vitest";
import type { Kind } from "../kinds/define-kind.ts";
import { daemonSetKind, deploymentKind, podDisruptionBudgetKind, replicaSetKind } from "../index.ts";
import { daemonSet, deployment, replicaSet, template } from "./testing/an-object.ts";
import { createFaults } from "./testing/create-faults.ts";

function rollingDaemonSet(rollingUpdate: object): object {
  return { spec: { ...daemonSet.spec, updateStrategy: { type: "RollingUpdate", rollingUpdate } } };
}

const generationKey = "deprecated.daemonset.template.generation";

describe("a valid object is created", () => {
  test.each<[string, Kind, object]>([
    ["Deployment", deploymentKind, deployment],
    ["ReplicaSet", replicaSetKind, replicaSet],
    ["DaemonSet", daemonSetKind, daemonSet],
    ["DaemonSet that surges", daemonSetKind, rollingDaemonSet({ maxUnavailable: 0, maxSurge: "10%" })],
    [
      "DaemonSet with the strategy OnDelete",
      daemonSetKind,
      { spec: { ...daemonSet.spec, updateStrategy: { type: "OnDelete" } } },
    ],
    ["PodDisruptionBudget", podDisruptionBudgetKind, { spec: { minAvailable: "50%", selector: {} } }],
  ])("%s", (_what, type, body) => {
    expect(createFaults(type, body)).toEqual([]);
  });
});

describe("a new object is rejected:", () => {
  test.each<[string, Kind, object, string[]]>([
    [
      "a ReplicaSet whose selector does not match its template",
      replicaSetKind,
      { spec: { ...replicaSet.spec, selector: { matchLabels: { app: "api" } } } },
      ['spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`'],
    ],
    ["a ReplicaSet without a selector", replicaSetKind, { spec: { template } }, ["spec.selector: Required value"]],
    [
      "a ReplicaSet of pods that end",
      replicaSetKind,
      { spec: { ...replicaSet.spec, template: { ...template, spec: { ...template.spec, restartPolicy: "Never" } } } },
      ['spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"'],
    ],
    [
      "a ReplicaSet of negative replicas",
      replicaSetKind,
      { spec: { ...replicaSet.spec, replicas: -1 } },
      ["spec.replicas: Invalid value: -1: must be greater than or equal to 0"],
    ],
    [
      "a ReplicaSet without containers",
      replicaSetKind,
      { spec: { ...replicaSet.spec, template: { metadata: template.metadata, spec: {} } } },
      ["spec.template.spec.containers: Required value"],
    ],
    [
      "a Deployment that selects everything",
      deploymentKind,
      { spec: { ...deployment.spec, selector: {} } },
      ["spec.selector: Invalid value: {}: empty selector is invalid for deployment"],
    ],
    [
      "a Deployment whose selector does not match its template",
      deploymentKind,
      { spec: { ...deployment.spec, selector: { matchLabels: { app: "api" } } } },
      ['spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`'],
    ],
    [
      "a Deployment whose rollout cannot proceed",
      deploymentKind,
      { spec: { ...deployment.spec, strategy: { rollingUpdate: { maxSurge: "0%", maxUnavailable: 0 } } } },
      ["spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0"],
    ],
    [
      "a Deployment with a maxUnavailable of more than 100 %",
      deploymentKind,
      { spec: { ...deployment.spec, strategy: { rollingUpdate: { maxSurge: "150%", maxUnavailable: "101%" } } } },
      ['spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%'],
    ],
    [
      "a Deployment of type Recreate with rolling parameters",
      deploymentKind,
      { spec: { ...deployment.spec, strategy: { type: "Recreate", rollingUpdate: {} } } },
      ["spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"],
    ],
    [
      "a Deployment with an unknown strategy",
      deploymentKind,
      { spec: { ...deployment.spec, strategy: { type: "BlueGreen" } } },
      ['spec.strategy.type: Unsupported value: "BlueGreen": supported values: "Recreate", "RollingUpdate"'],
    ],
    [
      "a Deployment whose deadline is before a pod can be available",
      deploymentKind,
      { spec: { ...deployment.spec, minReadySeconds: 30, progressDeadlineSeconds: 30, revisionHistoryLimit: -1 } },
      [
        "spec.revisionHistoryLimit: Invalid value: -1: must be greater than or equal to 0",
        "spec.progressDeadlineSeconds: Invalid value: 30: must be greater than minReadySeconds",
      ],
    ],
    [
      "a DaemonSet that selects everything",
      daemonSetKind,
      { spec: { ...daemonSet.spec, selector: {} } },
      ["spec.selector: Invalid value: {}: empty selector is invalid for daemonset"],
    ],
    [
      "a DaemonSet whose selector does not match its template",
      daemonSetKind,
      { spec: { ...daemonSet.spec, selector: { matchLabels: { app: "api" } } } },
      ['spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`'],
    ],
    [
      "a DaemonSet of pods that end, with negative counts",
      daemonSetKind,
      {
        spec: {
          ...daemonSet.spec,
          template: { ...template, spec: { ...template.spec, restartPolicy: "OnFailure", activeDeadlineSeconds: 5 } },
          minReadySeconds: -1,
          revisionHistoryLimit: -2,
        },
      },
      [
        'spec.template.spec.restartPolicy: Unsupported value: "OnFailure": supported values: "Always"',
        "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in DaemonSet is not Supported",
        "spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0",
        "spec.revisionHistoryLimit: Invalid value: -2: must be greater than or equal to 0",
      ],
    ],
    [
      "a DaemonSet with an unknown strategy",
      daemonSetKind,
      { spec: { ...daemonSet.spec, updateStrategy: { type: "Recreate" } } },
      ['spec.updateStrategy: Unsupported value: {"type":"Recreate"}: supported values: "RollingUpdate", "OnDelete"'],
    ],
    [
      "a DaemonSet whose rollout cannot proceed",
      daemonSetKind,
      rollingDaemonSet({ maxUnavailable: "0%" }),
      ["spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0"],
    ],
    [
      "a DaemonSet with both maxSurge and maxUnavailable",
      daemonSetKind,
      rollingDaemonSet({ maxSurge: 1 }),
      ["spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero"],
    ],
    [
      "a DaemonSet with a maxUnavailable of more than 100 %",
      daemonSetKind,
      rollingDaemonSet({ maxUnavailable: "101%", maxSurge: -1 }),
      [
        'spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%',
        "spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: -1: must be greater than or equal to 0",
        "spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: -1: may not be set when maxUnavailable is non-zero",
      ],
    ],
    [
      "a DaemonSet with a template generation that is not a number",
      daemonSetKind,
      { ...daemonSet, metadata: { annotations: { [generationKey]: "one" } } },
      [`metadata.annotations[${generationKey}]: Invalid value: "one": strconv.ParseInt: parsing "one": invalid syntax`],
    ],
    [
      "a budget with both minAvailable and maxUnavailable",
      podDisruptionBudgetKind,
      { spec: { minAvailable: 1, maxUnavailable: 1 } },
      [
        'spec: Invalid value: {"minAvailable":1,"maxUnavailable":1}: minAvailable and maxUnavailable cannot be both set',
      ],
    ],
    [
      "a budget of more than 100 %",
      podDisruptionBudgetKind,
      { spec: { maxUnavailable: "101%" } },
      ['spec.maxUnavailable: Invalid value: "101%": must not be greater than 100%'],
    ],
  ])("%s", (_what, type, body, expected) => {
    expect(createFaults(type, body)).toEqual(expected);
  });
});
