import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ApiObject } from "../meta/api-object.ts";
import { parseObject } from "../parsing/parse-object.ts";
import { anyBody } from "../testing/any-body.ts";
import { applyDefaults, type Kind } from "./define-kind.ts";
import {
  clusterRoleBindingKind,
  deploymentKind,
  namespaceKind,
  nodeKind,
  podKind,
  replicaSetKind,
  secretKind,
  serviceKind,
  builtInKinds,
} from "../index.ts";
import { withinLimits } from "../testing/request-limits.ts";

function defaulted<T extends ApiObject>(kind: Kind<T>, body: unknown): T {
  return applyDefaults(kind, parseObject<T>(kind.schema, kind.type, body));
}

const onePod = (spec: object) => ({ metadata: { name: "web" }, spec });

describe("a pod", () => {
  test("gets upstream's defaults for the smallest pod", () => {
    const pod = defaulted(podKind, onePod({ containers: [{ name: "c", image: "nginx:1.25" }] }));
    expect(pod.spec).toEqual({
      restartPolicy: "Always",
      terminationGracePeriodSeconds: 30,
      dnsPolicy: "ClusterFirst",
      securityContext: {},
      schedulerName: "default-scheduler",
      enableServiceLinks: true,
      containers: [
        {
          name: "c",
          image: "nginx:1.25",
          imagePullPolicy: "IfNotPresent",
          terminationMessagePath: "/dev/termination-log",
          terminationMessagePolicy: "File",
          resources: {},
        },
      ],
    });
  });

  test.each([
    ["nginx", "Always"],
    ["nginx:latest", "Always"],
    ["nginx:1.25", "IfNotPresent"],
    ["registry:5000/nginx", "Always"],
    ["registry:5000/nginx:1", "IfNotPresent"],
    [`nginx@sha256:${"a".repeat(64)}`, "IfNotPresent"],
    [`nginx:latest@sha256:${"a".repeat(64)}`, "Always"],
  ])("image %s is pulled %s", (image, policy) => {
    const pod = defaulted(podKind, onePod({ containers: [{ name: "c", image }] }));
    expect(pod.spec?.containers[0]?.imagePullPolicy).toBe(policy);
  });

  test("keeps the values that its author sets", () => {
    const spec = {
      restartPolicy: "Never",
      terminationGracePeriodSeconds: 0,
      dnsPolicy: "None",
      enableServiceLinks: false,
    };
    const pod = defaulted(podKind, onePod({ ...spec, containers: [] }));
    expect(pod.spec).toMatchObject(spec);
  });

  test("requests its limits if it sets no requests", () => {
    const resources = { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "100m" } };
    const pod = defaulted(
      podKind,
      onePod({ containers: [{ name: "c", resources }], initContainers: [{ name: "i", resources }] }),
    );
    const expected = { limits: resources.limits, requests: { cpu: "100m", memory: "1Gi" } };
    expect(pod.spec?.containers[0]?.resources).toEqual(expected);
    expect(pod.spec?.initContainers?.[0]?.resources).toEqual(expected);
  });

  test("counts resources in thousandths, rounded up", () => {
    const resources = { requests: { cpu: "100u", memory: "1500m" } };
    const pod = defaulted(podKind, onePod({ containers: [{ name: "c", resources }] }));
    expect(pod.spec?.containers[0]?.resources?.requests).toEqual({ cpu: "1m", memory: "1500m" });
  });

  test("uses its containers' ports as host ports if it is in the node's network", () => {
    const ports = [{ containerPort: 80 }, { containerPort: 81, hostPort: 8081 }];
    const pod = defaulted(podKind, onePod({ hostNetwork: true, containers: [{ name: "c", ports }] }));
    expect(pod.spec?.containers[0]?.ports?.map(({ hostPort }) => hostPort)).toEqual([80, 8081]);
  });

  test("gets complete probes", () => {
    const pod = defaulted(podKind, onePod({ containers: [{ name: "c", livenessProbe: { httpGet: { port: 80 } } }] }));
    expect(pod.spec?.containers[0]?.livenessProbe).toEqual({
      httpGet: { port: 80, path: "/", scheme: "HTTP" },
      timeoutSeconds: 1,
      periodSeconds: 10,
      successThreshold: 1,
      failureThreshold: 3,
    });
  });

  test.each([
    [{ name: "v" }, { emptyDir: {} }],
    [{ name: "v", secret: { secretName: "s" } }, { secret: { secretName: "s", defaultMode: 420 } }],
    [{ name: "v", configMap: { name: "c", defaultMode: 256 } }, { configMap: { name: "c", defaultMode: 256 } }],
    [{ name: "v", hostPath: { path: "/x" } }, { hostPath: { path: "/x", type: "" } }],
    [
      { name: "v", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } },
      { projected: { defaultMode: 420, sources: [{ serviceAccountToken: { path: "t", expirationSeconds: 3600 } }] } },
    ],
  ])("completes volume %j", (volume, expected) => {
    const pod = defaulted(podKind, onePod({ containers: [], volumes: [volume] }));
    expect(pod.spec?.volumes?.[0]).toEqual({ name: "v", ...expected });
  });

  test("states its service account under both names", () => {
    const pod = defaulted(podKind, onePod({ containers: [], serviceAccount: "robot" }));
    expect(pod.spec).toMatchObject({ serviceAccount: "robot", serviceAccountName: "robot" });
  });
});

test("a ReplicaSet has one replica of a complete template", () => {
  const spec = {
    selector: { matchLabels: { a: "b" } },
    template: { spec: { containers: [{ name: "c", image: "x:1" }] } },
  };
  const replicaSet = defaulted(replicaSetKind, { metadata: { name: "r" }, spec });
  expect(replicaSet.spec?.replicas).toBe(1);
  expect(replicaSet.spec?.template?.spec?.restartPolicy).toBe("Always");
  // A template gets neither requests from its limits nor service links, because both are defaults
  // of pods alone.
  expect(replicaSet.spec?.template?.spec?.enableServiceLinks).toBeUndefined();
});

test("a Deployment rolls out by quarters, keeps ten old sets and has a progress deadline of ten minutes", () => {
  const spec = {
    selector: { matchLabels: { a: "b" } },
    template: { spec: { containers: [{ name: "c", image: "x:1" }] } },
  };
  const deployment = defaulted(deploymentKind, { metadata: { name: "d" }, spec });
  expect(deployment.spec).toMatchObject({
    replicas: 1,
    strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" } },
    revisionHistoryLimit: 10,
    progressDeadlineSeconds: 600,
    template: { spec: { restartPolicy: "Always" } },
  });
  const recreated = defaulted(deploymentKind, {
    metadata: { name: "d" },
    spec: { ...spec, strategy: { type: "Recreate" } },
  });
  expect(recreated.spec?.strategy).toEqual({ type: "Recreate" });
});

test("a Service routes each port to the same target port", () => {
  const service = defaulted(serviceKind, { metadata: { name: "s" }, spec: { ports: [{ port: 80 }] } });
  expect(service.spec).toEqual({
    type: "ClusterIP",
    sessionAffinity: "None",
    internalTrafficPolicy: "Cluster",
    ipFamilies: ["IPv4"],
    ipFamilyPolicy: "SingleStack",
    ports: [{ port: 80, protocol: "TCP", targetPort: 80 }],
  });
});

test("a Secret's stringData becomes data", () => {
  const secret = defaulted(secretKind, { metadata: { name: "s" }, data: { a: "eA==" }, stringData: { b: "hällo" } });
  expect(secret).toEqual({ metadata: { name: "s" }, type: "Opaque", data: { a: "eA==", b: "aMOkbGxv" } });
});

test("a Namespace can be selected by its name", () => {
  const namespace = defaulted(namespaceKind, { metadata: { name: "n", labels: { x: "y" } } });
  expect(namespace.metadata.labels).toEqual({ x: "y", "kubernetes.io/metadata.name": "n" });
  expect(namespace.status?.phase).toBe("Active");
});

test("a Node's allocatable is its capacity unless it sets another value", () => {
  const node = defaulted(nodeKind, {
    metadata: { name: "n" },
    spec: { podCIDR: "10.1.0.0/24" },
    status: { capacity: { cpu: 4 } },
  });
  expect(node.status?.allocatable).toEqual({ cpu: "4" });
  expect(node.spec?.podCIDRs).toEqual(["10.1.0.0/24"]);
});

test("a binding refers to RBAC's own group", () => {
  const binding = defaulted(clusterRoleBindingKind, {
    metadata: { name: "b" },
    roleRef: { kind: "ClusterRole", name: "admin" },
    subjects: [
      { kind: "User", name: "u" },
      { kind: "ServiceAccount", name: "s", namespace: "n" },
    ],
  });
  expect(binding.roleRef.apiGroup).toBe("rbac.authorization.k8s.io");
  expect(binding.subjects?.map(({ apiGroup }) => apiGroup)).toEqual(["rbac.authorization.k8s.io", undefined]);
});

describe("any object of any kind", () => {
  test.each(builtInKinds.map((kind) => [`${kind.type.group}/${kind.type.kind}`, kind] as const))(
    "%s is completely defaulted after one pass",
    (_name, kind) => {
      fc.assert(
        fc.property(
          anyBody(kind.schema),
          withinLimits((body) => {
            const once = defaulted(kind, body);
            const copy = structuredClone(once);
            expect(applyDefaults(kind, once)).toEqual(copy);
          }),
        ),
        { numRuns: 60 },
      );
    },
  );
});
