import { unsupportedMediaType } from "@kintsugi/api";
import type { DecodeProtobuf } from "../machinery-ports.ts";

/** Stands here until protobuf/ is there. */
export const decodeProtobufBody: DecodeProtobuf = () => {
  throw unsupportedMediaType(["application/json", "application/yaml"]);
};
