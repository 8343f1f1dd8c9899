import { readFile } from "node:fs/promises";
import { processesIn } from "@kintsugi/lab";
import { expect, test } from "vitest";
import { startContainerd } from "../support/node/contract-subject.ts";

test("a containerd listens only in its own directory, for any services of its version in addition to CRI", async () => {
  await using containerd = await startContainerd();
  const [pid] = await processesIn(`/kintsugi/containerd-${containerd.name}/system`);
  // The sockets of its network namespace, which is otherwise empty; the kernel prints a path last
  // in its line, if a socket has one.
  const sockets = await readFile(`/proc/${pid}/net/unix`, "utf8");
  const paths = new Set(sockets.split("\n").flatMap((line) => /\s(\/\S+)$/.exec(line)?.[1] ?? []));
  expect(paths).toContain(containerd.endpoint.replace("unix://", ""));
  expect([...paths].filter((path) => !path.startsWith(`${containerd.directory}/`))).toEqual([]);
});
