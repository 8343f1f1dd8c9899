import { describe, expect, test } from "vitest";
import type { PodSpec } from "../../spec/pod-spec.ts";
import type { Pod } from "../../pod.ts";
import { podKind } from "../../../../../index.ts";
import { aPod, container } from "../../../../../validation/testing/a-pod.ts";
import { validateUpdate } from "../../../../../validation/validate.ts";

describe("a pod that runs", () => {
  const running = aPod({ nodeName: "n" }, { resourceVersion: "7", uid: "u" });

  function changeFaults(spec: Partial<PodSpec>, before = running): string[] {
    const after: Pod = { ...before, spec: { ...(before.spec ?? { containers: [] }), ...spec } };
    return validateUpdate(podKind, { after, before }).map(({ field, message }) => `${field}: ${message}`);
  }

  test.each<[string, Partial<PodSpec>]>([
    ["nothing", {}],
    ["its image", { containers: [{ ...running.spec?.containers[0], name: "c", image: "nginx:2" }] }],
    ["another toleration", { tolerations: [{ key: "a", operator: "Exists" }] }],
    ["a deadline", { activeDeadlineSeconds: 10 }],
  ])("may change %s", (_what, spec) => {
    expect(changeFaults(spec)).toEqual([]);
  });

  test("may not change anything else, and the error states the difference", () => {
    expect(changeFaults({ nodeName: "other" })).toEqual([
      'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n-  spec.nodeName: "n"\n+  spec.nodeName: "other"\n',
    ]);
  });

  test("may not gain or lose containers", () => {
    expect(changeFaults({ containers: [] })).toContain(
      "spec.containers: Forbidden: pod updates may not add or remove containers",
    );
  });

  test("keeps its tolerations, but may change their time", () => {
    const before = aPod(
      { tolerations: [{ key: "a", operator: "Exists", effect: "NoExecute", tolerationSeconds: 5 }] },
      { resourceVersion: "1" },
    );
    expect(changeFaults({ tolerations: [] }, before)).toEqual([
      "spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds",
    ]);
    expect(
      changeFaults(
        { tolerations: [{ key: "a", operator: "Exists", effect: "NoExecute", tolerationSeconds: 9 }] },
        before,
      ),
    ).toEqual([]);
  });

  test("may correct a negative grace period, and change no other", () => {
    const before = aPod({ terminationGracePeriodSeconds: -5 }, { resourceVersion: "1" });
    expect(changeFaults({ terminationGracePeriodSeconds: 1 }, before)).toEqual([]);
    expect(changeFaults({ terminationGracePeriodSeconds: 2 }, before)).toHaveLength(1);
  });

  test("may remove scheduling gates but not add any", () => {
    const gate = { name: "example.com/wait" };
    const before = aPod({ schedulingGates: [gate] }, { resourceVersion: "1" });
    expect(changeFaults({ schedulingGates: [] }, before)).toEqual([]);
    expect(changeFaults({ schedulingGates: [gate, { name: "example.com/more" }] }, before)).toEqual([
      "spec.schedulingGates[1].name: Forbidden: only deletion is allowed, but found new scheduling gate 'example.com/more'",
    ]);
    expect(changeFaults({ nodeSelector: { disk: "ssd" } }, before)).toEqual([]);
    expect(changeFaults({ hostNetwork: true }, before)).toHaveLength(1);
  });

  test("is written only with the replaced resourceVersion, under its own identity", () => {
    const after: Pod = { ...running, metadata: { ...running.metadata, uid: "another", resourceVersion: "" } };
    expect(
      validateUpdate(podKind, { after, before: running }).map(({ field, message }) => `${field}: ${message}`),
    ).toEqual([
      "metadata.resourceVersion: Invalid value: 0: must be specified for an update",
      'metadata.uid: Invalid value: "another": field is immutable',
    ]);
  });
});

describe("a pod's status", () => {
  const ended = {
    name: "c",
    image: "x",
    imageID: "",
    ready: false,
    restartCount: 0,
    state: { terminated: { exitCode: 0 } },
  };
  const revived = { ...ended, state: { running: {} } };

  function statusFaults(restartPolicy: string, statuses: { before: object; after: object }): string[] {
    const pod = aPod({ restartPolicy }, { resourceVersion: "1" });
    const before = { ...pod, status: statuses.before } as Pod;
    const after = { ...pod, status: statuses.after } as Pod;
    return validateUpdate(podKind, { after, before, subresource: "status" }).map(
      ({ field, message }) => `${field}: ${message}`,
    );
  }

  test("never restarts a container that ended permanently", () => {
    const statuses = { before: { containerStatuses: [ended] }, after: { containerStatuses: [revived] } };
    expect(statusFaults("Never", statuses)).toEqual([
      "status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state",
    ]);
    expect(statusFaults("Always", statuses)).toEqual([]);
  });

  test("restarts a container if the whole pod may start again: by a rule, on request, or by escalation", () => {
    const after = { containerStatuses: [revived], initContainerStatuses: [revived] };
    const before = { containerStatuses: [ended], initContainerStatuses: [ended] };
    const faultsOf = (pod: Pod) =>
      validateUpdate(podKind, {
        after: { ...pod, status: after } as Pod,
        before: { ...pod, status: before } as Pod,
        subresource: "status",
      });
    const exitCodes = { operator: "In", values: [42] };
    const rules = (action: string) => ({ restartPolicy: "Never", restartPolicyRules: [{ action, exitCodes }] });
    const withRule = (action: string) => {
      const pod = aPod({ restartPolicy: "Never" }, { resourceVersion: "1" });
      const [main] = pod.spec?.containers ?? [];
      const containers = [main, { ...main, name: "trigger", ...rules(action) }];
      return { ...pod, spec: { ...pod.spec, containers } } as Pod;
    };
    expect(faultsOf(withRule("RestartAllContainers"))).toEqual([]);
    expect(faultsOf(withRule("Restart"))).toHaveLength(2);
    const annotated = (annotations: Record<string, string>) =>
      aPod({ restartPolicy: "Never" }, { resourceVersion: "1", annotations });
    expect(faultsOf(annotated({ "kintsugi.dev/restartedAt": "2026-01-01T00:00:00Z" }))).toEqual([]);
    expect(faultsOf(annotated({ "kintsugi.dev/escalation": "containerRestarts=3" }))).toEqual([]);
    expect(faultsOf(annotated({ "example.com/other": "x" }))).toHaveLength(2);
  });

  test("names one of the five phases", () => {
    expect(statusFaults("Always", { before: {}, after: { phase: "Resting" } })).toEqual([
      'status.phase: Unsupported value: "Resting": supported values: "Failed", "Pending", "Running", "Succeeded", "Unknown"',
    ]);
  });

  test("keeps its class of service", () => {
    const statuses = { before: { qosClass: "BestEffort" }, after: { qosClass: "Burstable" } };
    expect(statusFaults("Always", statuses)).toEqual([
      'status.qosClass: Invalid value: "Burstable": field is immutable',
    ]);
  });
});

test("ephemeral containers are added, and never change", () => {
  const before = aPod({}, { resourceVersion: "1" });
  const debug = {
    name: "debug",
    image: "busybox:1",
    terminationMessagePolicy: "File",
    imagePullPolicy: "Always",
    resources: {},
  } as const;
  const after: Pod = { ...before, spec: { ...(before.spec ?? { containers: [] }), ephemeralContainers: [debug] } };
  const subresource = "ephemeralcontainers";
  expect(validateUpdate(podKind, { after, before, subresource })).toEqual([]);
  expect(validateUpdate(podKind, { after: before, before: after, subresource }).map(({ message }) => message)).toEqual([
    'Forbidden: existing ephemeral containers "debug" may not be removed\n',
  ]);
});

test("a resize changes cpu and memory only", () => {
  const resources = { requests: { cpu: "100m" }, limits: { cpu: "1" } };
  const before = aPod({ containers: [{ ...container, resources }] }, { resourceVersion: "1" });
  const resized = (more: object): Pod =>
    aPod({ containers: [{ ...container, resources, ...more }] }, { resourceVersion: "1" });
  const faults = (after: Pod) =>
    validateUpdate(podKind, { after, before, subresource: "resize" }).map(({ message }) => message);
  expect(faults(resized({ resources: { requests: { cpu: "200m" }, limits: { cpu: "1" } } }))).toEqual([]);
  expect(faults(resized({ image: "other:1" }))).toEqual(["Forbidden: only cpu and memory resources are mutable"]);
  expect(faults(resized({ resources: { requests: { cpu: "100m" } } }))).toEqual([
    "Forbidden: resource limits cannot be removed",
  ]);
});

test("a resize lowers a memory limit, and adds one, whatever the policy", () => {
  const burstable = (limits?: object) => ({ requests: { memory: "35Mi", cpu: "20m" }, ...(limits ? { limits } : {}) });
  const pod = (limits?: object) =>
    aPod({ containers: [{ ...container, resources: burstable(limits) }] }, { resourceVersion: "1" });
  const faults = (after: Pod, before: Pod) => validateUpdate(podKind, { after, before, subresource: "resize" });
  expect(faults(pod({ memory: "40Mi" }), pod({ memory: "45Mi" }))).toEqual([]);
  expect(faults(pod({ memory: "40Mi" }), pod())).toEqual([]);
});
