import { cborBodies } from "./cbor-bodies.ts";
import { expressionBodies } from "./expression-bodies.ts";
import type { HostileRequest } from "./hostile-request.ts";
import { jsonBodies } from "./json-bodies.ts";
import { patchBodies, queries } from "./patch-bodies.ts";
import { protobufBodies } from "./protobuf-bodies.ts";
import { yamlBodies } from "./yaml-bodies.ts";

/** All known hostile requests. A new idea becomes another line in one of these files. */
export const hostileRequests: readonly HostileRequest[] = [
  ...yamlBodies,
  ...jsonBodies,
  ...patchBodies,
  ...protobufBodies,
  ...cborBodies,
  ...queries,
  ...expressionBodies,
];
