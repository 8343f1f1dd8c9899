import { readFile } from "node:fs/promises";

/** Lists the mount points in the view of this process. */
export async function mountPoints(): Promise<string[]> {
  const lines = (await readFile("/proc/self/mounts", "utf8")).split("\n");
  // Spaces and similar characters are written as octal escapes (fstab(5)).
  return lines
    .map((line) =>
      (line.split(" ")[1] ?? "").replace(/\\(\d{3})/g, (_, octal: string) =>
        String.fromCharCode(Number.parseInt(octal, 8)),
      ),
    )
    .filter((point) => point !== "");
}
