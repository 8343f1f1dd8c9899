import { describe, expect, test } from "vitest";
import type { Pod } from "../pod.ts";
import { podKind } from "../../../../index.ts";
import { aPod, container } from "../../../../validation/testing/a-pod.ts";
import { asRefusal, validateCreate } from "../../../../validation/validate.ts";

function faultsOf(pod: Pod): string[] {
  return validateCreate(podKind, pod).map(({ field, message }) => `${field}: ${message}`);
}

const volumes = [{ name: "v", emptyDir: {} }];

test("a small pod is valid", () => {
  expect(faultsOf(aPod())).toEqual([]);
});

test("a pod with many fields is valid", () => {
  const pod = aPod({
    volumes: [...volumes, { name: "cfg", configMap: { name: "settings" } }],
    initContainers: [
      { name: "init", image: "busybox:1", command: ["true"] },
      { name: "sidecar", image: "envoy:1", restartPolicy: "Always", readinessProbe: { tcpSocket: { port: 15_000 } } },
    ],
    containers: [
      {
        ...container,
        ports: [{ name: "http", containerPort: 80 }],
        env: [{ name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } }],
        resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { cpu: "1", "example.com/gpu": "1" } },
        volumeMounts: [{ name: "v", mountPath: "/data", subPath: "a/b" }],
        livenessProbe: { httpGet: { port: "http" } },
        lifecycle: { preStop: { sleep: { seconds: 5 } } },
        securityContext: { runAsUser: 1000, capabilities: { drop: ["ALL"] } },
      },
    ],
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app: "web" } } },
        ],
      },
    },
    tolerations: [
      { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 },
    ],
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: "zone",
        whenUnsatisfiable: "DoNotSchedule",
        labelSelector: { matchLabels: { app: "web" } },
      },
    ],
  });
  expect(faultsOf(pod)).toEqual([]);
});

describe("a new pod is rejected for", () => {
  const withContainer = (more: object) => ({ containers: [{ ...container, ...more }] });
  test.each<[string, object, string[]]>([
    ["no containers", { containers: [] }, ["spec.containers: Required value"]],
    [
      "a container without name and image",
      { containers: [{}] },
      ["spec.containers[0].name: Required value", "spec.containers[0].image: Required value"],
    ],
    [
      "two containers of the same name",
      { containers: [container, container] },
      ['spec.containers[1].name: Duplicate value: "c"'],
    ],
    [
      "an image with a leading blank",
      withContainer({ image: " nginx" }),
      ['spec.containers[0].image: Invalid value: " nginx": must not have leading or trailing whitespace'],
    ],
    [
      "an unknown restart policy",
      { restartPolicy: "Sometimes" },
      ['spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"'],
    ],
    [
      "an unknown pull policy",
      withContainer({ imagePullPolicy: "Maybe" }),
      [
        'spec.containers[0].imagePullPolicy: Unsupported value: "Maybe": supported values: "Always", "IfNotPresent", "Never"',
      ],
    ],
    [
      "a port out of range",
      withContainer({ ports: [{ containerPort: 70_000 }] }),
      ["spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive"],
    ],
    [
      "two ports of the same name",
      withContainer({
        ports: [
          { name: "a", containerPort: 1 },
          { name: "a", containerPort: 2 },
        ],
      }),
      ['spec.containers[0].ports[1].name: Duplicate value: "a"'],
    ],
    [
      "a duplicate host port",
      withContainer({
        ports: [
          { containerPort: 1, hostPort: 80 },
          { containerPort: 2, hostPort: 80 },
        ],
      }),
      ['spec.containers[0].ports[1].hostPort: Duplicate value: "TCP//80"'],
    ],
    [
      "a mount without a volume",
      withContainer({ volumeMounts: [{ name: "v", mountPath: "/x" }] }),
      ['spec.containers[0].volumeMounts[0].name: Not found: "v"'],
    ],
    [
      "two mounts on the same path",
      {
        volumes,
        ...withContainer({
          volumeMounts: [
            { name: "v", mountPath: "/x" },
            { name: "v", mountPath: "/x" },
          ],
        }),
      },
      ['spec.containers[0].volumeMounts[1].mountPath: Invalid value: "/x": must be unique'],
    ],
    [
      "a mount that climbs out of its volume",
      { volumes, ...withContainer({ volumeMounts: [{ name: "v", mountPath: "/x", subPath: "../etc" }] }) },
      ["spec.containers[0].volumeMounts[0].subPath: Invalid value: \"../etc\": must not contain '..'"],
    ],
    [
      "a mount that climbs out of its image",
      {
        volumes: [{ name: "v", image: { reference: "data:1" } }],
        ...withContainer({
          volumeMounts: [
            { name: "v", mountPath: "/part", subPath: "etc" },
            { name: "v", mountPath: "/of-node", subPathExpr: "$(NODE)/etc" },
            { name: "v", mountPath: "/x", subPath: "../etc" },
          ],
        }),
      },
      ["spec.containers[0].volumeMounts[2].subPath: Invalid value: \"../etc\": must not contain '..'"],
    ],
    [
      "a volume with two sources",
      { volumes: [{ name: "v", emptyDir: {}, hostPath: { path: "/x" } }] },
      ["spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type"].map((text) =>
        text.replace("hostPath", "hostPath"),
      ),
    ],
    [
      "a volume whose source lacks its required name",
      { volumes: [{ name: "v", persistentVolumeClaim: {} }] },
      ["spec.volumes[0].persistentVolumeClaim.claimName: Required value"],
    ],
    [
      "two volumes of the same name",
      { volumes: [...volumes, ...volumes] },
      ['spec.volumes[1].name: Duplicate value: "v"'],
    ],
    [
      "a probe without action",
      withContainer({ livenessProbe: {} }),
      ["spec.containers[0].livenessProbe: Required value: must specify a handler type"],
    ],
    [
      "a probe with two actions",
      withContainer({ readinessProbe: { exec: { command: ["x"] }, tcpSocket: { port: 1 } } }),
      ["spec.containers[0].readinessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type"],
    ],
    [
      "a liveness probe that needs two successes",
      withContainer({ livenessProbe: { exec: { command: ["x"] }, successThreshold: 2 } }),
      ["spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1"],
    ],
    [
      "negative numbers in a probe",
      withContainer({ readinessProbe: { exec: { command: ["x"] }, initialDelaySeconds: -1 } }),
      ["spec.containers[0].readinessProbe.initialDelaySeconds: Invalid value: -1: must be greater than or equal to 0"],
    ],
    [
      "a hook that outlasts the grace period",
      { terminationGracePeriodSeconds: 3, ...withContainer({ lifecycle: { preStop: { sleep: { seconds: 4 } } } }) },
      [
        "spec.containers[0].lifecycle.preStop.sleep: Invalid value: 4: must be non-negative and less than terminationGracePeriodSeconds (3)",
      ],
    ],
    [
      "a request above the limit",
      withContainer({ resources: { requests: { cpu: "2" }, limits: { cpu: "1" } } }),
      ['spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1'],
    ],
    [
      "a negative amount",
      withContainer({ resources: { requests: { memory: "-1" } } }),
      ['spec.containers[0].resources.requests[memory]: Invalid value: "-1": must be greater than or equal to 0'],
    ],
    [
      "an unknown resource",
      withContainer({ resources: { limits: { gpu: "1" } } }),
      [
        'spec.containers[0].resources.limits[gpu]: Invalid value: "gpu": must be a standard resource type or fully qualified',
        'spec.containers[0].resources.limits[gpu]: Invalid value: "gpu": must be a standard resource for containers',
        'spec.containers[0].resources.requests[gpu]: Invalid value: "gpu": must be a standard resource type or fully qualified',
        'spec.containers[0].resources.requests[gpu]: Invalid value: "gpu": must be a standard resource for containers',
      ],
    ],
    [
      "half a device",
      withContainer({ resources: { limits: { "example.com/gpu": "500m" } } }),
      [
        'spec.containers[0].resources.limits[example.com/gpu]: Invalid value: "500m": must be an integer',
        'spec.containers[0].resources.requests[example.com/gpu]: Invalid value: "500m": must be an integer',
      ],
    ],
    [
      "a variable without name",
      withContainer({ env: [{ value: "x" }] }),
      ["spec.containers[0].env[0].name: Required value"],
    ],
    [
      "a variable with value and source",
      withContainer({ env: [{ name: "A", value: "x", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }] }),
      ['spec.containers[0].env[0].valueFrom: Invalid value: "": may not be specified when `value` is not empty'],
    ],
    [
      "a variable from an unknown field",
      withContainer({ env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "spec.shoes" } } }] }),
      [
        'spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Invalid value: "spec.shoes": error converting fieldPath: field label not supported: spec.shoes',
      ],
    ],
    [
      "a toleration without key for a single value",
      { tolerations: [{ operator: "Equal", value: "x" }] },
      [
        'spec.tolerations[0].operator: Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all values and all keys"',
      ],
    ],
    [
      "a time limit on an effect other than NoExecute",
      { tolerations: [{ key: "a", operator: "Exists", effect: "NoSchedule", tolerationSeconds: 1 }] },
      [
        "spec.tolerations[0].effect: Invalid value: \"NoSchedule\": effect must be 'NoExecute' when `tolerationSeconds` is set",
      ],
    ],
    [
      "an invalid node name",
      { nodeName: "Node_1" },
      [
        "spec.nodeName: Invalid value: \"Node_1\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      ],
    ],
    [
      "a deadline of zero",
      { activeDeadlineSeconds: 0 },
      ["spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive"],
    ],
    [
      "ephemeral containers",
      { ephemeralContainers: [{ name: "d", image: "x" }] },
      ["spec.ephemeralContainers: Forbidden: cannot be set on create"],
    ],
    [
      "a node while gates are closed",
      { nodeName: "n", schedulingGates: [{ name: "example.com/wait" }] },
      ["spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared"],
    ],
    [
      "probes of a plain init container",
      { initContainers: [{ name: "i", image: "x", livenessProbe: { tcpSocket: { port: 1 } } }] },
      [
        "spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always",
      ],
    ],
    [
      "no name servers with the policy None",
      { dnsPolicy: "None" },
      ["spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None"],
    ],
    [
      "too many name servers",
      { dnsConfig: { nameservers: ["1.1.1.1", "1.1.1.2", "1.1.1.3", "1.1.1.4"] } },
      [
        'spec.dnsConfig.nameservers: Invalid value: ["1.1.1.1","1.1.1.2","1.1.1.3","1.1.1.4"]: must not have more than 3 nameservers',
      ],
    ],
    [
      "a user namespace in the node's network",
      { hostUsers: false, hostNetwork: true },
      ["spec.hostNetwork: Forbidden: when `hostUsers` is false"],
    ],
    [
      "an invalid user",
      { securityContext: { runAsUser: -1 } },
      ["spec.securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive"],
    ],
    [
      "restart rules without a policy",
      withContainer({ restartPolicyRules: [{ action: "Restart", exitCodes: { operator: "In", values: [42] } }] }),
      ["spec.containers[0].restartPolicy: Required value: must specify restartPolicy when restart rules are used"],
    ],
    [
      "a token without an account",
      { volumes: [{ name: "t", projected: { sources: [{ serviceAccountToken: { path: "token" } }] } }] },
      [
        "spec.volumes[0].projected.sources[0].serviceAccountToken: Forbidden: must not be specified when serviceAccountName is not set",
      ],
    ],
  ])("%s", (_what, spec, expected) => {
    expect(faultsOf(aPod(spec))).toEqual(expected);
  });
});

test("metadata is checked as well", () => {
  const pod = aPod({}, { name: "Web", labels: { "a/b/c": "x" }, finalizers: ["mine"] });
  expect(validateCreate(podKind, pod).map(({ field, reason }) => [field, reason])).toEqual([
    ["metadata.name", "FieldValueInvalid"],
    ["metadata.labels", "FieldValueInvalid"],
    ["metadata.finalizers[0]", "FieldValueInvalid"],
  ]);
});

test("the refusal names the pod and all faults", () => {
  const refusal = asRefusal(podKind.type, "web", validateCreate(podKind, aPod({ containers: [{ name: "c" }] })));
  expect(refusal?.message).toBe('Pod "web" is invalid: spec.containers[0].image: Required value');
  expect(refusal?.code).toBe(422);
  expect(refusal?.details).toEqual({
    kind: "Pod",
    name: "web",
    causes: [{ reason: "FieldValueRequired", field: "spec.containers[0].image", message: "Required value" }],
  });
});

test("several faults are in brackets", () => {
  const refusal = asRefusal(podKind.type, "web", validateCreate(podKind, aPod({ containers: [{}] })));
  expect(refusal?.message).toBe(
    'Pod "web" is invalid: [spec.containers[0].name: Required value, spec.containers[0].image: Required value]',
  );
});
