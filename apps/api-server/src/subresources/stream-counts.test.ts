import { expect, test } from "vitest";
import { StreamCounts } from "./stream-counts.ts";

test("a container, a pod and the server each have a limit, and the refusal names the limit", () => {
  const counts = new StreamCounts();
  const take = (podUid: string, containerName?: string) => counts.take({ podUid, containerName });
  for (let count = 0; count < 64; count++) take("a", "main");
  expect(() => take("a", "main")).toThrow('container "main" has 64 streams');
  for (let count = 0; count < 64; count++) take("a");
  expect(() => take("a", "sidecar")).toThrow("the pod has 128 streams");
  for (let count = 0; count < 872; count++) take(`pod ${count}`);
  expect(() => take("b")).toThrow("this server has 1000 streams");
});

test("a place is released once", () => {
  const counts = new StreamCounts();
  const of = { podUid: "a", containerName: "main" };
  const [first] = Array.from({ length: 64 }, () => counts.take(of));
  first?.();
  first?.();
  counts.take(of);
  expect(() => counts.take(of)).toThrow("try again later");
});
