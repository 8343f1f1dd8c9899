import { expect, test } from "vitest";
import { kindPath } from "./kinds.ts";

test("paths name a namespace if the page is filtered by that namespace alone", () => {
  expect(kindPath("pods", "")).toBe("/api/v1/pods");
  expect(kindPath("deployments", "a/../b")).toBe("/apis/apps/v1/namespaces/a%2F..%2Fb/deployments");
  expect(kindPath("nodes", "a")).toBe("/api/v1/nodes");
});
