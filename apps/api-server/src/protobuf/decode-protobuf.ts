import { ApiError, badRequest, type JsonObject, unsupportedMediaType } from "@kintsugi/api";
import type { TypeDescription } from "@kintsugi/api";
import { decodeMessage } from "./decode-value.ts";
import { WireReader } from "./wire-reader.ts";

/** Every protobuf body begins with `k8s` and NUL. */
const magic = [0x6b, 0x38, 0x73, 0x00];

/** runtime.Unknown, the envelope after the magic bytes. */
interface Envelope {
  apiVersion: string;
  kind: string;
  raw: Uint8Array;
  contentEncoding: string;
}

/**
 * Decodes a body in `application/vnd.kubernetes.protobuf` to the JSON object that it represents.
 * kubectl sends such bodies since 1.32.
 *
 *     6b 38 73 00 | 1: {1: apiVersion, 2: kind} | 2: the object, without apiVersion and kind
 *                 | 3, 4: encoding and type
 */
export function decodeProtobuf(
  body: Uint8Array,
  describe: (apiVersion: string, kind: string) => TypeDescription | undefined,
  valuesMax?: number,
): JsonObject {
  if (!magic.every((byte, index) => body[index] === byte)) {
    throw badRequest("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
  }
  try {
    const { apiVersion, kind, raw, contentEncoding } = decodeEnvelope(
      new WireReader(body.subarray(magic.length), { valuesMax }),
    );
    if (contentEncoding !== "") {
      throw badRequest(`protobuf content encoding ${JSON.stringify(contentEncoding)} is not supported`);
    }
    const type = describe(apiVersion, kind);
    if (type?.type !== "object") {
      throw unsupportedMediaType(["application/json", "application/yaml"]);
    }
    return { apiVersion, kind, ...decodeMessage(new WireReader(raw, { valuesMax }), type) };
  } catch (error) {
    throw error instanceof ApiError ? error : malformed(error);
  }
}

/**
 * The reader throws RangeError where bytes are missing, and JSON.parse throws SyntaxError. Both are
 * the sender's fault.
 */
function malformed(error: unknown): ApiError {
  if (
    !(
      error instanceof RangeError ||
      error instanceof SyntaxError ||
      (error instanceof Error && error.message.startsWith("invalid "))
    )
  ) {
    throw error;
  }
  return new ApiError("BadRequest", `malformed protobuf: ${error.message}`, { cause: error });
}

function decodeEnvelope(reader: WireReader): Envelope {
  const envelope: Envelope = { apiVersion: "", kind: "", raw: new Uint8Array(), contentEncoding: "" };
  reader.eachField((fieldNumber, wire) => {
    switch (fieldNumber) {
      case 1:
        Object.assign(envelope, decodeTypeMeta(reader.message(wire)));
        return true;
      case 2:
        envelope.raw = reader.bytes(wire);
        return true;
      case 3:
        envelope.contentEncoding = reader.text(wire);
        return true;
      default:
        return false;
    }
  });
  return envelope;
}

function decodeTypeMeta(reader: WireReader): { apiVersion: string; kind: string } {
  const typeMeta = { apiVersion: "", kind: "" };
  reader.eachField((fieldNumber, wire) => {
    if (fieldNumber === 1) {
      typeMeta.apiVersion = reader.text(wire);
    } else if (fieldNumber === 2) {
      typeMeta.kind = reader.text(wire);
    }
    return fieldNumber <= 2;
  });
  return typeMeta;
}
