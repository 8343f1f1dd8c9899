import { builtInKinds, nodes, pods, type ResourceType } from "@kintsugi/api";
import { expect, test } from "vitest";
import { createRegistry } from "../resources/registry.ts";
import { createSubresources } from "../subresources/subresource-table.ts";
import { parseRequestInfo } from "./request-info.ts";
import { readSelection } from "./selection.ts";

const registry = createRegistry(builtInKinds, createSubresources({}));

function prefixOf(type: ResourceType, path: string): string {
  return readSelection(parseRequestInfo("GET", path), registry.get(type)).prefix;
}

test("a name in a known namespace narrows the read to its key", () => {
  expect(prefixOf(nodes, "/api/v1/nodes")).toBe("core/nodes/");
  expect(prefixOf(nodes, "/api/v1/nodes?fieldSelector=metadata.name%3Da")).toBe("core/nodes/_/a");
  expect(prefixOf(pods, "/api/v1/namespaces/x/pods?fieldSelector=metadata.name%3Da")).toBe("core/pods/x/a");
  expect(prefixOf(pods, "/api/v1/pods?fieldSelector=metadata.name%3Da,metadata.namespace%3Dx")).toBe("core/pods/x/a");
  expect(prefixOf(pods, "/api/v1/pods?fieldSelector=metadata.name%3Da")).toBe("core/pods/");
  expect(prefixOf(nodes, "/api/v1/nodes?fieldSelector=metadata.name!%3Da")).toBe("core/nodes/");
});

test("objects whose names only share a prefix are not selected", () => {
  const path = "/api/v1/nodes?fieldSelector=metadata.name%3Da";
  const selection = readSelection(parseRequestInfo("GET", path), registry.get(nodes));
  const entry = (key: string) => ({ key, revision: 1, value: new Uint8Array(), index: {} }) as never;
  expect(["core/nodes/_/a", "core/nodes/_/a-1", "core/nodes/_/b"].map((key) => selection.matches(entry(key)))).toEqual([
    true,
    false,
    false,
  ]);
});
