import type { TypeDescription } from "@kintsugi/api";
import type { JsonObject } from "../json.ts";

/**
 * A body in `application/vnd.kubernetes.protobuf` (`k8s\0` + Unknown) as the JSON object that it stands for, apiVersion and
 * kind included. @throws ApiError BadRequest when it is malformed, UnsupportedMediaType when `describe` knows no such kind.
 */
export type DecodeProtobuf = (
  body: Uint8Array,
  describe: (apiVersion: string, kind: string) => TypeDescription | undefined,
) => JsonObject;
