import { expect, test } from "vitest";
import * as z from "zod";
import { Container, EphemeralContainer } from "../kinds/core/pod/spec/container.ts";
import { Pod } from "../kinds/core/pod/pod.ts";
import { Probe } from "../kinds/core/pod/spec/probe.ts";
import { describeObject, describeSchema } from "./describe-schema.ts";
import { field, object, required } from "./fields.ts";
import { list, text } from "./types.ts";

test("a field has the metadata that patches, OpenAPI and protobuf need", () => {
  expect(describeObject(Container).fields.get("ports")).toMatchObject({
    name: "ports",
    required: false,
    protoNumber: 6,
    patchStrategy: "merge",
    patchMergeKey: "containerPort",
    listType: "map",
    listMapKeys: ["containerPort", "protocol"],
    description:
      "Ports that the container exposes. The list is informational, because ports that are not listed are also reachable.",
    type: { type: "list", items: { type: "object", name: "io.k8s.api.core.v1.ContainerPort" } },
  });
});

test("fields that protobuf embeds keep the number of the embedding field", () => {
  expect(describeObject(Probe).fields.get("httpGet")).toMatchObject({ protoNumber: 2, protoEmbedded: 1 });
  expect(describeObject(Probe).fields.get("periodSeconds")?.protoEmbedded).toBeUndefined();
  expect(describeObject(EphemeralContainer).fields.get("image")).toMatchObject({ protoNumber: 2, protoEmbedded: 1 });
  expect(describeObject(Container).fields.get("image")?.protoEmbedded).toBeUndefined();
});

test("the same schema has one description", () => {
  expect(describeSchema(Pod)).toBe(describeSchema(Pod));
  expect(describeObject(Pod).description).toBe(
    "A Pod is a group of containers that run together on one node and share an IP address.",
  );
});

test("a type may contain itself", () => {
  const Tree: z.ZodType = object("test.Tree", "A tree.", () => ({
    name: required(1, text),
    branches: field(2, list(z.lazy(() => Tree))),
  }));
  const tree = describeSchema(Tree);
  const branches = tree.type === "object" ? tree.fields.get("branches")?.type : undefined;
  expect(branches?.type === "list" ? branches.items : undefined).toBe(tree);
});
