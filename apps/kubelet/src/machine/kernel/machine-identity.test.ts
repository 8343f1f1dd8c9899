import { describe, expect, test } from "vitest";
import { readMachineIdentity } from "./machine-identity.ts";

const machineId = "3d1219c7c4c5404aaa1f6d2a48adfda4";
const firmware = "4C4C4544-0042-3510-8052-B4C04F4E4631";

function reader(files: Record<string, string>) {
  return (path: string) => Promise.resolve(files[path] ?? "");
}

describe("the IDs of a machine", () => {
  test.each([
    ["the firmware", { "/sys/class/dmi/id/product_uuid": `${firmware}\n` }, firmware],
    ["the device tree", { "/proc/device-tree/vm,uuid": `${firmware}\0` }, firmware],
    ["its installation, if no other ID exists", {}, machineId],
  ])("are those of %s", async (_of, files, systemUuid) => {
    const read = reader({ "/etc/machine-id": `${machineId}\n`, ...files });
    expect(await readMachineIdentity({ nodeName: "node-1", sharedBy: 1, read })).toEqual({ machineId, systemUuid });
  });

  test("differ between nodes on one machine, and remain the same", async () => {
    const read = reader({ "/etc/machine-id": machineId });
    const of = (nodeName: string) => readMachineIdentity({ nodeName, sharedBy: 2, read });
    const [one, again, two] = [await of("node-1"), await of("node-1"), await of("node-2")];
    expect(one).toEqual(again);
    expect(new Set([one.machineId, two.machineId, one.systemUuid, two.systemUuid]).size).toBe(4);
    expect([one.machineId, one.systemUuid]).toEqual([
      expect.stringMatching(/^[0-9a-f]{32}$/),
      expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
    ]);
  });
});
