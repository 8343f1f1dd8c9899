import { Buffer } from "node:buffer";
import {
  ConfigMap,
  Deployment,
  describeSchema,
  Lease,
  Node,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  Secret,
  Service,
  SubjectAccessReview,
} from "@kintsugi/api";
import fc from "fast-check";
import protobuf from "protobufjs/minimal.js";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../json.ts";
import type { TypeDescription } from "@kintsugi/api";
import { errorOf, outcomeOf } from "../testing/refusals.ts";
import { decodeProtobuf } from "./index.ts";
import { encodeEnvelope, encodeProtobuf, tag } from "./testing/encode-protobuf.ts";

const types = new Map<string, TypeDescription>(
  Object.entries({
    ConfigMap,
    Deployment,
    Lease,
    Node,
    Pod,
    PodDisruptionBudget,
    ReplicaSet,
    Secret,
    Service,
    SubjectAccessReview,
  }).map(([kind, schema]) => [kind, describeSchema(schema)]),
);
const decode = (body: Uint8Array) => decodeProtobuf(body, (_apiVersion, kind) => types.get(kind));

function typeOf(kind: string): TypeDescription {
  const type = types.get(kind);
  if (type === undefined) {
    throw new Error(`no ${kind}`);
  }
  return type;
}

const metadata: JsonObject = {
  name: "web",
  namespace: "default",
  labels: { app: "web", empty: "" },
  annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}\n" },
  creationTimestamp: "2026-01-02T03:04:05Z",
  ownerReferences: [
    { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "u", controller: true, blockOwnerDeletion: false },
  ],
  finalizers: ["a/b", "c/d"],
  managedFields: [
    {
      manager: "m",
      operation: "Update",
      apiVersion: "v1",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:data": { ".": {} } },
    },
  ],
};

const objects: Record<string, JsonObject> = {
  "a config map with an empty value, binary data and a pointer to false": {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata,
    data: { a: "", "b.txt": "ü\n" },
    binaryData: { c: "AP8=", d: "" },
    immutable: false,
  },
  "a secret": {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "s" },
    type: "Opaque",
    data: { password: "c2VjcmV0" },
  },
  "a pod with everything that has its own form on the wire": {
    apiVersion: "v1",
    kind: "Pod",
    metadata,
    spec: {
      containers: [
        {
          name: "c",
          image: "busybox",
          command: ["sh", "-c", ""],
          ports: [{ containerPort: 80, protocol: "TCP" }],
          env: [
            { name: "X", valueFrom: { secretKeyRef: { name: "s", key: "k", optional: false } } },
            { name: "Y", value: "1" },
          ],
          envFrom: [{ configMapRef: { name: "c" } }],
          resources: { limits: { cpu: "100m", memory: "64Mi" }, requests: { cpu: "1" } },
          livenessProbe: {
            httpGet: { path: "/", port: "http" },
            initialDelaySeconds: 3,
            terminationGracePeriodSeconds: 0,
          },
          readinessProbe: { tcpSocket: { port: 8080 } },
          startupProbe: { exec: { command: ["true"] } },
          securityContext: { runAsUser: 0, allowPrivilegeEscalation: false, runAsNonRoot: true },
          volumeMounts: [{ name: "v", mountPath: "/v", readOnly: true }],
        },
      ],
      ephemeralContainers: [{ name: "debug", image: "busybox", targetContainerName: "c" }],
      volumes: [
        { name: "v", emptyDir: { medium: "Memory", sizeLimit: "1Gi" } },
        { name: "w", configMap: { name: "c", items: [{ key: "k", path: "p", mode: 0 }], defaultMode: 420 } },
        {
          name: "x",
          projected: {
            sources: [
              { serviceAccountToken: { path: "t", expirationSeconds: 3607 } },
              { downwardAPI: { items: [{ path: "p", fieldRef: { fieldPath: "metadata.name" } }] } },
            ],
          },
        },
      ],
      terminationGracePeriodSeconds: 0,
      enableServiceLinks: false,
      tolerations: [{ key: "k", operator: "Exists", effect: "NoExecute", tolerationSeconds: 0 }],
      nodeSelector: { disk: "ssd" },
      priority: -10,
    },
    status: { phase: "Running", startTime: "1999-12-31T23:59:59Z", podIPs: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }] },
  },
  "a replica set of nothing": {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name: "r" },
    spec: { replicas: 0, selector: { matchExpressions: [{ key: "a", operator: "In", values: ["x", ""] }] } },
  },
  "a deployment with bounds in percent and in pods": {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "d" },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: "d" } },
      template: { metadata: { labels: { app: "d" } }, spec: { containers: [{ name: "c", image: "busybox" }] } },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: "25%" } },
      minReadySeconds: 5,
      revisionHistoryLimit: 0,
      paused: true,
      progressDeadlineSeconds: 600,
    },
    status: {
      observedGeneration: 2,
      replicas: 4,
      updatedReplicas: 1,
      readyReplicas: 3,
      availableReplicas: 3,
      unavailableReplicas: 1,
      collisionCount: 0,
      terminatingReplicas: 0,
      conditions: [
        {
          type: "Progressing",
          status: "True",
          reason: "ReplicaSetUpdated",
          message: "m",
          lastUpdateTime: "2026-01-02T03:04:05Z",
          lastTransitionTime: "2026-01-02T03:04:05Z",
        },
      ],
    },
  },
  "a lease with microseconds": {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name: "n" },
    spec: {
      holderIdentity: "n",
      leaseDurationSeconds: 40,
      renewTime: "2026-01-02T03:04:05.000678Z",
      acquireTime: "2023-11-14T22:13:20.123457Z",
    },
  },
  "a budget in percent": {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "b" },
    spec: { minAvailable: "50%", maxUnavailable: 0 },
  },
  "a service with both forms of ports": {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "s" },
    spec: {
      ports: [
        { port: 80, targetPort: "http" },
        { port: 81, targetPort: 8081 },
      ],
      selector: { app: "web" },
    },
  },
  "a review with lists in a map": {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SubjectAccessReview",
    metadata: {},
    spec: {
      user: "jane",
      extra: { scopes: ["a", "b"], none: [] },
      resourceAttributes: { verb: "get", resource: "pods" },
    },
  },
};

describe("protobuf bodies", () => {
  test.each(Object.entries(objects))("%s", (_name, object) => {
    expect(decode(encodeProtobuf(object, typeOf(object["kind"] as string)))).toEqual(object);
  });

  test("what Go writes of fields that were not set is left out, what it writes of pointers stays", () => {
    const type = typeOf("Pod");
    const written = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p", generateName: "", selfLink: "", generation: 0 },
      spec: {
        hostNetwork: false,
        hostPID: false,
        serviceAccountName: "",
        terminationGracePeriodSeconds: 0,
        automountServiceAccountToken: false,
        containers: [{ name: "", stdin: false, tty: false, ports: [{ containerPort: 0, hostPort: 0 }], resources: {} }],
      },
      status: {},
    };
    expect(decode(encodeProtobuf(written, type))).toEqual({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p" },
      spec: {
        terminationGracePeriodSeconds: 0,
        automountServiceAccountToken: false,
        containers: [{ name: "", ports: [{ containerPort: 0 }], resources: {} }],
      },
      status: {},
    });
  });

  test("a time that is not set is left out", () => {
    const meta = protobuf.Writer.create().uint32(tag(1, 2)).string("x").uint32(tag(8, 2)).bytes(new Uint8Array());
    const raw = protobuf.Writer.create().uint32(tag(1, 2)).bytes(meta.finish()).finish();
    expect(decode(encodeEnvelope({ apiVersion: "v1", kind: "ConfigMap", raw }))).toEqual({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "x" },
    });
  });

  test("fields of a newer version are skipped, whatever their form", () => {
    const raw = protobuf.Writer.create();
    raw
      .uint32(tag(900, 0))
      .int64(7)
      .uint32(tag(901, 1))
      .double(1)
      .uint32(tag(902, 2))
      .string("x")
      .uint32(tag(903, 5))
      .float(1);
    const body = encodeEnvelope({ apiVersion: "v1", kind: "ConfigMap", raw: raw.finish() });
    expect(decode(body)).toEqual({ apiVersion: "v1", kind: "ConfigMap" });
  });

  const meta = (bytes: Uint8Array) => protobuf.Writer.create().uint32(tag(1, 2)).bytes(bytes).finish();
  const refused: [name: string, body: Uint8Array, code: number, message: string][] = [
    ["nothing", new Uint8Array(), 400, "expected prefix"],
    ["JSON", Buffer.from('{"kind":"Pod"}'), 400, "expected prefix"],
    [
      "a kind that is not served",
      encodeEnvelope({ apiVersion: "v1", kind: "Widget", raw: new Uint8Array() }),
      415,
      "unknown format",
    ],
    [
      "an envelope that is cut off",
      encodeProtobuf(objects["a secret"] ?? {}, typeOf("Secret")).subarray(0, 12),
      400,
      "malformed protobuf",
    ],
    [
      "an object that is cut off",
      encodeEnvelope({ apiVersion: "v1", kind: "ConfigMap", raw: Uint8Array.of(tag(1, 2), 100) }),
      400,
      "malformed protobuf",
    ],
    [
      "a varint without end",
      encodeEnvelope({
        apiVersion: "v1",
        kind: "ConfigMap",
        raw: meta(Uint8Array.of(tag(7, 0), ...new Uint8Array(20).fill(0xff))),
      }),
      400,
      "malformed protobuf",
    ],
    [
      "field number 0",
      encodeEnvelope({ apiVersion: "v1", kind: "ConfigMap", raw: Uint8Array.of(0) }),
      400,
      "field number 0",
    ],
    [
      "a group",
      encodeEnvelope({ apiVersion: "v1", kind: "ConfigMap", raw: new Uint8Array(100_000).fill(tag(15, 3)) }),
      400,
      "wire type 3",
    ],
    [
      "a number where a message belongs",
      encodeEnvelope({ apiVersion: "v1", kind: "ConfigMap", raw: Uint8Array.of(tag(1, 0), 1) }),
      400,
      "wire type 0 where 2 is expected",
    ],
    [
      "a label called __proto__",
      encodeEnvelope({
        apiVersion: "v1",
        kind: "ConfigMap",
        raw: meta(
          protobuf.Writer.create()
            .uint32(tag(11, 2))
            .bytes(protobuf.Writer.create().uint32(tag(1, 2)).string("__proto__").finish())
            .finish(),
        ),
      }),
      400,
      "forbidden member name",
    ],
    [
      "fields that are not JSON",
      encodeEnvelope({
        apiVersion: "v1",
        kind: "ConfigMap",
        raw: meta(
          protobuf.Writer.create()
            .uint32(tag(17, 2))
            .bytes(
              protobuf.Writer.create()
                .uint32(tag(7, 2))
                .bytes(meta(Buffer.from("{")))
                .finish(),
            )
            .finish(),
        ),
      }),
      400,
      "malformed protobuf",
    ],
    [
      "a time beyond all calendars",
      encodeEnvelope({
        apiVersion: "v1",
        kind: "ConfigMap",
        raw: meta(
          protobuf.Writer.create()
            .uint32(tag(8, 2))
            .bytes(protobuf.Writer.create().uint32(tag(1, 0)).int64(9e15).finish())
            .finish(),
        ),
      }),
      400,
      "malformed protobuf",
    ],
    [
      "a million empty values",
      encodeEnvelope({
        apiVersion: "v1",
        kind: "Secret",
        raw: new Uint8Array(2_000_000).map((_, index) => (index % 2 === 0 ? tag(2, 2) : 0)),
      }),
      400,
      "more than 300000 values",
    ],
  ];

  test.each(refused)("refuses %s", (_name, body, code, message) => {
    const error = errorOf(() => decode(body));
    expect(error.code).toBe(code);
    expect(error.message).toContain(message);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  test("a body nested deeper than any kind is refused instead of overflowing the stack", () => {
    const selfContaining: TypeDescription = { type: "object", name: "Deep", fields: new Map() };
    (selfContaining.fields as Map<string, unknown>).set("next", {
      name: "next",
      required: false,
      protoNumber: 1,
      type: selfContaining,
    });
    let raw: Uint8Array = new Uint8Array();
    for (let level = 0; level < 100; level += 1) {
      raw = meta(raw);
    }
    const body = encodeEnvelope({ apiVersion: "v1", kind: "Deep", raw });
    expect(errorOf(() => decodeProtobuf(body, () => selfContaining)).message).toContain("nested deeper than");
  });

  test("random bytes and flipped bits give an object or a refusal, never a crash", () => {
    const valid = Object.values(objects).map((object) => encodeProtobuf(object, typeOf(object["kind"] as string)));
    const flipped = fc
      .tuple(fc.constantFrom(...valid), fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 5 }))
      .map(([body, flips]) => {
        const copy = Uint8Array.from(body);
        for (const [position, byte] of flips) {
          copy[4 + (position % (copy.length - 4))] = byte;
        }
        return copy;
      });
    const random = fc
      .uint8Array({ maxLength: 200 })
      .map((raw) => encodeEnvelope({ apiVersion: "v1", kind: "Pod", raw }));
    fc.assert(
      fc.property(fc.oneof(flipped, random), (body) => {
        expect(outcomeOf(() => decode(body))).not.toBe("crashed");
      }),
      { numRuns: 2_000 },
    );
  });
});
