import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ClusterRecord } from "./cluster-record.ts";

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "kintsugi-record-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

const where = { prefix: "/kintsugi/lab" };

test("a data directory belongs to the first cluster that it has served", async () => {
  const directory = newDirectory();
  await new ClusterRecord(directory).check("one", where);
  await new ClusterRecord(directory).check("one", where);
  await expect(new ClusterRecord(directory).check("other", where)).rejects.toThrow(
    `${directory} is of the cluster one, and etcd has the cluster other below /kintsugi/lab: check --etcd-servers`,
  );
});

test("a torn record is refused with the remedy", async () => {
  const directory = newDirectory();
  writeFileSync(join(directory, "etcd-cluster.json"), "{");
  await expect(new ClusterRecord(directory).check("one", where)).rejects.toThrow("remove it if");
});
