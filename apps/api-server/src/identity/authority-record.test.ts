import { writeFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { AuthorityRecord } from "./authority-record.ts";
import { TestCertificates } from "../testing/test-certificates.ts";

const certificates = new TestCertificates().authority("old").authority("new").authority("stranger");
afterAll(() => certificates[Symbol.dispose]());
const [old, next, stranger] = ["old.crt", "new.crt", "stranger.crt"].map((file) => certificates.read(file)) as [
  string,
  string,
  string,
];

test("a data directory belongs to its cluster, whose authority may be replaced step by step", async () => {
  const record = new AuthorityRecord(certificates.directory);
  await record.check(old);
  await record.note(old);
  await record.check(old);
  await expect(record.check(next)).rejects.toThrow(
    /is the data directory of another cluster, whose authority is sha256:[0-9a-f]{64}; .*: give --data-dir the directory of this cluster, or, .*remove .*authorities\.json/,
  );
  await record.check(old + next);
  await record.note(old + next);
  await record.check(next);
  await record.note(next);
  await expect(record.check(old)).rejects.toThrow("of another cluster");
  await expect(record.check(stranger)).rejects.toThrow("of another cluster");
  writeFileSync(certificates.path("authorities.json"), "[");
  await expect(record.check(next)).rejects.toThrow("remove it if the directory is this cluster's");
});
