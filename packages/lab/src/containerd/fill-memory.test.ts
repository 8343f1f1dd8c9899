import { expect, test } from "vitest";
import { memoryProcsFile } from "./fill-memory.ts";

test("the memory of a process is its cgroup's memory in either version", () => {
  expect(memoryProcsFile("0::/kubepods/pod1/c1\n")).toBe("/sys/fs/cgroup/kubepods/pod1/c1/cgroup.procs");
  expect(memoryProcsFile("8:pids:/x\n4:memory:/kubepods/pod1/c1\n0::/y\n")).toBe(
    "/sys/fs/cgroup/memory/kubepods/pod1/c1/cgroup.procs",
  );
});

test.each(["0::/\n", "4:memory:/\n", ""])("a process without its own cgroup is rejected: %j", (cgroups) => {
  expect(() => memoryProcsFile(cgroups)).toThrow("no separate cgroup");
});
