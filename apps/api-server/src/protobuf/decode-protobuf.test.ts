import { Buffer } from "node:buffer";
import {
  ConfigMap,
  ControllerRevision,
  CustomResourceDefinition,
  DaemonSet,
  Deployment,
  describeSchema,
  Endpoints,
  HorizontalPodAutoscaler,
  Lease,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  Secret,
  Service,
  StatefulSet,
  SubjectAccessReview,
} from "@kintsugi/api";
import { withinLimits } from "@kintsugi/api/testing";
import fc from "fast-check";
import protobuf from "protobufjs/minimal.js";
import { describe, expect, test } from "vitest";
import type { TypeDescription } from "@kintsugi/api";
import { errorOf, outcomeOf } from "../testing/refusals.ts";
import { decodeProtobuf } from "./index.ts";
import { encodeEnvelope, encodeProtobuf, tag } from "./testing/encode-protobuf.ts";
import { sampleObjects } from "./testing/sample-objects.ts";

const types = new Map<string, TypeDescription>(
  Object.entries({
    ConfigMap,
    ControllerRevision,
    CustomResourceDefinition,
    DaemonSet,
    Deployment,
    Endpoints,
    HorizontalPodAutoscaler,
    Lease,
    Node,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    PodDisruptionBudget,
    ReplicaSet,
    Secret,
    Service,
    StatefulSet,
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

describe("protobuf bodies", () => {
  test.each(Object.entries(sampleObjects))("%s", (_name, object) => {
    expect(decode(encodeProtobuf(object, typeOf(object["kind"] as string)))).toEqual(object);
  });

  test("Go's encoding of unset fields is left out, and Go's encoding of pointers is kept", () => {
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

  test("an unset time is left out", () => {
    const meta = protobuf.Writer.create().uint32(tag(1, 2)).string("x").uint32(tag(8, 2)).bytes(new Uint8Array());
    const raw = protobuf.Writer.create().uint32(tag(1, 2)).bytes(meta.finish()).finish();
    expect(decode(encodeEnvelope({ apiVersion: "v1", kind: "ConfigMap", raw }))).toEqual({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "x" },
    });
  });

  test("fields of a newer version are skipped, whatever their wire type", () => {
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
      encodeProtobuf(sampleObjects["a secret"] ?? {}, typeOf("Secret")).subarray(0, 12),
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
      "a number in place of a message",
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
      "more than 20000 values",
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

  test("random bytes and flipped bits result in an object or a refusal, never in a crash", () => {
    const valid = Object.values(sampleObjects).map((object) =>
      encodeProtobuf(object, typeOf(object["kind"] as string)),
    );
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
      fc.property(
        fc.oneof(flipped, random),
        withinLimits((body) => {
          expect(outcomeOf(() => decode(body))).not.toBe("crashed");
        }),
      ),
      { numRuns: 2_000 },
    );
  });
});
