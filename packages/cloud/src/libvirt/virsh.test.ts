import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { isCloudError } from "../cloud-error.ts";
import { type VirshOptions, virshAt } from "./virsh.ts";

/** A replacement for virsh: this shell script, in its own directory. */
async function aProgram(script: string, options: Partial<VirshOptions> = {}) {
  const directory = await mkdtemp(join(tmpdir(), "virsh-"));
  const program = join(directory, "virsh");
  await writeFile(program, `#!/bin/sh\ncd ${directory}\n${script}\n`);
  await chmod(program, 0o700);
  onTestFinished(() => rm(directory, { recursive: true }));
  const environment = { PATH: "/usr/bin:/bin", LC_ALL: "de_DE.UTF-8" };
  return {
    directory,
    virsh: virshAt({ uri: "test:///default", program, environment, callTimeoutMs: 20_000, ...options }),
  };
}

async function faultOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "done",
    (error: unknown) => (isCloudError(error) ? `${error.code}: ${error.message}` : String(error)),
  );
}

test("a command is passed to the program word by word, in English, with empty input", async () => {
  const { virsh } = await aProgram('printf "%s|" "$@"; echo "$LC_ALL"; wc -c; echo no >&2; exit 3');
  expect(await virsh(["start", "a b; $(true)"])).toEqual({
    exitCode: 3,
    output: "--quiet|--connect=test:///default|start|a b; $(true)|C\n0\n",
    errors: "no\n",
  });
});

test("a program that hangs is killed with all its child processes", async () => {
  const { directory, virsh } = await aProgram("sleep 1000 & echo $! > child; wait", { callTimeoutMs: 2_000 });
  expect(await faultOf(virsh(["list"]))).toBe(
    "Unavailable: libvirt at test:///default cannot be queried: virsh did not end within 2000 ms",
  );
  const child = Number(await readFile(join(directory, "child"), "utf8"));
  await vi.waitFor(async () => {
    const state = await readFile(`/proc/${child}/stat`, "utf8").catch(() => "gone");
    expect(state).toMatch(/^gone$|\) [ZX] /);
  });
});

test("a cancelled call ends its program", async () => {
  const { virsh } = await aProgram("sleep 1000");
  const giveUp = new AbortController();
  const call = faultOf(virsh(["list"], giveUp.signal));
  giveUp.abort();
  expect(await call).toContain("Unavailable: libvirt at test:///default cannot be queried: the call was aborted");
  expect(await faultOf(virsh(["list"], giveUp.signal))).toContain("the call was aborted");
});

test.each([
  ["exec yes node-1", "virsh printed more than 4194304 bytes"],
  ["exec yes node-1 >&2", "virsh printed more than 65536 bytes"],
  ["kill -9 $$", "virsh was ended by SIGKILL"],
])("an incomplete response is an error: %s", async (script, words) => {
  const { virsh } = await aProgram(script);
  expect(await faultOf(virsh(["list"]))).toContain(
    `Unavailable: libvirt at test:///default cannot be queried: ${words}`,
  );
});

test("if the program is missing, the error names its package", async () => {
  const virsh = virshAt({ uri: "test:///default", program: "/nowhere/virsh", environment: {}, callTimeoutMs: 5_000 });
  expect(await faultOf(virsh(["list"]))).toContain("on Debian it is in the package libvirt-clients");
});
