import { tmpdir } from "node:os";
import { join } from "node:path";
import { UnusableDirectory } from "@kintsugi/daemon";
import { expect, test } from "vitest";
import { assertRoomOnDisk } from "./room-on-disk.ts";

test("a directory that does not exist yet is checked on the disk that will contain it", async () => {
  await assertRoomOnDisk(join(tmpdir(), "kintsugi-absent", "deeper"));
});

// The kernel's own file systems have no free space at all.
test.skipIf(process.platform !== "linux")("a disk without enough space is rejected with its free space", async () => {
  const refused = assertRoomOnDisk("/proc/kintsugi");
  await expect(refused).rejects.toThrow(UnusableDirectory);
  await expect(refused).rejects.toThrow(
    "the disk of /proc/kintsugi has 0.0 MiB left, of 16 MiB that a cluster needs: choose another --data-dir",
  );
});
