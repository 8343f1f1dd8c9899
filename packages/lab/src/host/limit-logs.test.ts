import { appendFile, mkdtemp, open, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cutLogs } from "./limit-logs.ts";

test("a log that is too large is truncated while its process writes, and one copy of the earlier part is kept", async () => {
  const directory = await mkdtemp(join(tmpdir(), "kintsugi-logs-"));
  const log = join(directory, "kubelet-node-1.log");
  const process = await open(log, "a");
  try {
    await writeFile(join(directory, "small.log"), "small\n");
    await writeFile(join(directory, "journal.bin"), "not a log, and larger than any");
    await process.write("first line\n");
    expect(await cutLogs(directory, 11)).toEqual([]);
    await process.write("second line\n");
    expect(await cutLogs(directory, 11)).toEqual([log]);
    await process.write("third line\n");
    expect(await readFile(log, "utf8")).toBe("third line\n");
    expect(await readFile(`${log}.1`, "utf8")).toBe("first line\nsecond line\n");
    await appendFile(log, "fourth line\n");
    expect(await cutLogs(directory, 11)).toEqual([log]);
    expect(await readFile(`${log}.1`, "utf8")).toBe("third line\nfourth line\n");
    expect((await readdir(directory)).sort()).toEqual([
      "journal.bin",
      "kubelet-node-1.log",
      "kubelet-node-1.log.1",
      "small.log",
    ]);
  } finally {
    await process.close();
    await rm(directory, { recursive: true });
  }
});
