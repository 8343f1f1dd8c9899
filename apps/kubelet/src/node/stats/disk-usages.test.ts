import { type LogFields, silentLogger } from "@kintsugi/api";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import { MemoryFiles } from "../../simulated/memory-files.ts";
import { DiskUsages, type DiskUsagesDeps } from "./disk-usages.ts";

class FilesWithOneBroken extends MemoryFiles {
  override usage(path: string) {
    if (path.includes("broken")) return Promise.reject(new Error("EIO"));
    return super.usage(path);
  }

  override list(path: string) {
    if (path.includes("unreadable")) return Promise.reject(new Error("EIO"));
    return super.list(path);
  }
}

const node = { rootDirectory: "/kubelet", podLogsDirectory: "/logs", memoryDirectory: "/memory" };
const pod = (uid: string) => ({ uid, name: uid, namespace: "default" });

async function measured(): Promise<{ usages: Awaited<ReturnType<DiskUsages["measure"]>>; warned: LogFields[] }> {
  const files = new FilesWithOneBroken();
  const warned: LogFields[] = [];
  for (const uid of ["first", "unreadable", "last"]) {
    for (const name of ["broken", "good"])
      await files.write(`/kubelet/pods/${uid}/volumes/kubernetes.io~empty-dir/${name}/file`, "12345");
  }
  const deps = {
    files,
    node,
    clock: new VirtualClock(),
    log: { ...silentLogger, warn: (_: string, fields: LogFields = {}) => void warned.push(fields) },
    pods: { find: () => undefined },
    claims: {
      measure: (uid: string) => (uid === "last" ? Promise.reject(new Error("ENOTCONN")) : Promise.resolve([])),
    },
  } as unknown as DiskUsagesDeps;
  const usages = await new DiskUsages(deps).measure(["first", "unreadable", "last"].map(pod), 1000);
  return { usages, warned };
}

test("a failing file system omits only its own figures, and a pod's error omits only the pod's figures", async () => {
  const { usages, warned } = await measured();
  expect([...usages.keys()]).toEqual(["first", "last"]);
  for (const { volumes, claims } of usages.values()) {
    expect(volumes.map(({ name, bytes }) => [name, bytes])).toEqual([["good", 5]]);
    expect(claims).toEqual([]);
  }
  expect(warned.map((fields) => fields["pod"])).toEqual([
    "default/first",
    "default/unreadable",
    "default/last",
    "default/last",
  ]);
});
