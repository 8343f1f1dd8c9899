import { findProgram } from "@kintsugi/daemon";

/**
 * Exits the process with one sentence when programs do not exist.
 * @param packages the Debian package of each program.
 */
export function needPrograms(what: string, packages: Readonly<Record<string, string>>): void {
  const missing = Object.keys(packages).filter((name) => findProgram(name, process.env["PATH"] ?? "") === undefined);
  if (missing.length === 0) return;
  const wanted = [...new Set(missing.map((name) => packages[name]))].join(" ");
  process.stderr.write(`${what}: there is no ${missing.join(", no ")}; on Debian: apt-get install ${wanted}\n`);
  process.exit(1);
}

/** The packages for machines that qemu emulates, and for the box that they are made of. */
export const machinePackages = {
  "qemu-system-x86_64": "qemu-system-x86",
  "qemu-img": "qemu-utils",
  debootstrap: "debootstrap",
  "mkfs.ext4": "e2fsprogs",
  "ssh-keygen": "openssh-client",
} as const;
