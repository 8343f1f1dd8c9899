import { bodyBytes, configMaps, type HostileRequest, ownAccess, pods } from "./hostile-request.ts";

/** A length-delimited field of protobuf. */
function field(number: number, content: Uint8Array | string): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}

function envelope(apiVersion: string, kind: string, raw: Uint8Array): Buffer {
  return Buffer.concat([
    Buffer.from("k8s\0"),
    field(1, Buffer.concat([field(1, apiVersion), field(2, kind)])),
    field(2, raw),
  ]);
}

function filled(part: Buffer, bytes = bodyBytes - 200): Buffer {
  return Buffer.alloc(Math.floor(bytes / part.length) * part.length, part);
}

/** Nested lengths, as deep as the bytes allow. */
function nested(number: number, levels: number): Buffer {
  let inner: Buffer = Buffer.alloc(0);
  for (let i = 0; i < levels; i++) inner = field(number, inner);
  return inner;
}

function request(what: string, path: string, body: () => Buffer): HostileRequest {
  const as = path === ownAccess ? {} : { as: "admin" as const };
  return {
    name: `protobuf: ${what}`,
    method: "POST",
    path,
    contentType: "application/vnd.kubernetes.protobuf",
    body,
    ...as,
  };
}

const review = (raw: Buffer) => envelope("authorization.k8s.io/v1", "SelfSubjectAccessReview", raw);

export const protobufBodies: readonly HostileRequest[] = [
  request("a million unknown fields", ownAccess, () => review(filled(Buffer.from([0x78, 0x01])))),
  request("a million empty messages", ownAccess, () => review(filled(field(2, "")))),
  request("nested lengths", ownAccess, () => review(nested(2, 5_000))),
  request("groups", ownAccess, () => review(filled(Buffer.from([0x7b])))),
  request("a length beyond the end", ownAccess, () => review(Buffer.concat([varint((2 << 3) | 2), varint(2 ** 31)]))),
  request("300,000 labels", configMaps, () =>
    envelope("v1", "ConfigMap", field(1, filled(field(11, Buffer.concat([field(1, "a"), field(2, "b")]))))),
  ),
  request("200,000 finalizers", configMaps, () =>
    envelope("v1", "ConfigMap", field(1, filled(field(14, "example.com/a")))),
  ),
  request("packed groups of a pod", pods, () =>
    envelope("v1", "Pod", field(2, field(14, field(4, filled(Buffer.from([1])))))),
  ),
  request("fieldsV1 of 3 MB", configMaps, () =>
    envelope("v1", "ConfigMap", field(1, field(17, field(7, field(1, `{"f:a":[${"1,".repeat(1_400_000)}1]}`))))),
  ),
  request("a text of 3 MB", configMaps, () =>
    envelope("v1", "ConfigMap", field(1, field(1, filled(Buffer.from("a."))))),
  ),
];
