import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { findProgram, runCommand } from "@kintsugi/daemon";

const programs = ["losetup", "mkfs.ext4", "e2fsck", "resize2fs", "flock"];

/**
 * Reports whether this host can mount images, which requires loop devices and the programs for
 * ext4.
 */
export function hasLoopDevices(searchPath: string): boolean {
  return existsSync("/dev/loop-control") && programs.every((name) => findProgram(name, searchPath) !== undefined);
}

/** Returns the loop devices of an image: "/dev/loop0". */
export async function loopsOf(image: string): Promise<string[]> {
  if (!existsSync(image)) return [];
  const output = await runCommand("losetup", ["--associated", image, "--noheadings", "--output", "NAME"]);
  return output.split("\n").filter((line) => line.startsWith("/dev/"));
}

/**
 * The shell compares the attachment under the lock, so a detachment happens either before or after
 * it. e2fsck ends with 8 where a node that was cut off still has the image mounted; the kernel then
 * replays the journal. A file system that is smaller than its image grows, after the complete check
 * that resize2fs requires after a mount. mount(8) would share the loop device of that other mount,
 * which is read-only, so each mount gets its own device, which the kernel detaches when the mount
 * is removed. An existing device of the image belongs to a mount of an earlier run of this node, in
 * the namespace of a container that outlived the run. It becomes read-only before the image is
 * mounted again, because otherwise two file systems would write to it.
 */
const mountUnderLock = `
[ "$(cat "$1")" = "$2" ] || { echo "the disk is attached to another node" >&2; exit 1; }
for device in $(losetup --associated "$3" --noheadings --output NAME); do
  trigger="/sys/fs/ext4/$(basename "$device")/trigger_fs_error"
  if [ -e "$trigger" ]; then echo 1 >"$trigger" || exit 1; fi
done
e2fsck -p "$3" >/dev/null 2>&1
case $? in
  0|1|2|3) resize2fs "$3" >/dev/null 2>&1 || { e2fsck -fp "$3" && resize2fs "$3"; } >/dev/null 2>&1 || true ;;
  8) ;;
  *) echo "the file system of the disk is damaged" >&2; exit 1 ;;
esac
device=$(losetup --find --show "$3") || exit 1
mount -t ext4 -o "$5" "$device" "$4"
ended=$?
losetup --detach "$device"
exit $ended
`;

export interface ImageMount {
  readonly lock: string;
  readonly attachment: string;
  readonly nodeId: string;
  readonly image: string;
  readonly target: string;
}

/**
 * Mounts an image, after its journal has been replayed, while it is attached to the node. The loop
 * device is removed with the mount.
 */
export async function mountImage({ lock, attachment, nodeId, image, target }: ImageMount): Promise<void> {
  await mkdir(dirname(lock), { recursive: true, mode: 0o700 });
  const args = [attachment, nodeId, image, target, "errors=remount-ro"];
  await runCommand("flock", [lock, "sh", "-c", mountUnderLock, "sh", ...args]);
}

/**
 * Ends all writes to an image: its file system becomes read-only immediately, even for processes
 * that have files open. All their synced data is in the image.
 */
export async function cutOffImage(lock: string, image: string): Promise<void> {
  await mkdir(dirname(lock), { recursive: true, mode: 0o700 });
  // A process that mounts holds the lock, so every allowed mount is visible afterwards.
  await runCommand("flock", [lock, "true"]);
  for (const device of await loopsOf(image)) {
    const trigger = `/sys/fs/ext4/${basename(device)}/trigger_fs_error`;
    if (existsSync(trigger)) await writeFile(trigger, "1");
  }
}
