import { spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findLeftovers, findPrivateContainerdRemains, identifyProcess } from "@kintsugi/lab";
import { describe, expect, test } from "vitest";
import { sayWhyNot, whyNoClusters } from "../../support/host-abilities.ts";
import { repository } from "../../support/lab-cluster.ts";
import { readNotes, remember } from "../../support/remains/remember.ts";
import { endWithThis, eventually } from "../../support/run-program.ts";

const cannot = sayWhyNot("tests that are ended early", whyNoClusters());
const cluster = `early-${process.pid}`;
const containerd = `early-${process.pid}`;

/** Lists the remains of the run below on this host. */
async function remains(): Promise<string[]> {
  const place = { name: containerd, directory: `/run/kt-${containerd}`, podCidr: undefined };
  return [
    ...(await findLeftovers(cluster)),
    ...(await findPrivateContainerdRemains(place)),
    ...readdirSync("/run/netns").filter((name) => name.includes(cluster)),
  ];
}

const notesOf = async () =>
  (await readNotes()).filter(({ remains: of }) => "name" in of && [cluster, containerd].includes(of.name));

describe.skipIf(cannot)("tests that are aborted in the middle", () => {
  test.each(["SIGTERM", "SIGKILL"] as const)("by %s leave no started process or resource", async (signal) => {
    // The directory is recorded, because the resources of running tests, such as this test, are
    // left alone.
    const ours = mkdtempSync(join(tmpdir(), "kintsugi-early-"));
    const forget = await remember({ kind: "directory", path: ours });
    const fixture = join(repository, "test/support/remains/ends-early-main.ts");
    const args = ["--conditions=@kintsugi/source", "--import", "tsx", fixture, cluster, containerd, ours];
    const run = endWithThis(
      spawn(process.execPath, args, { detached: true, stdio: ["ignore", "pipe", "inherit"], cwd: repository }),
    );
    let said = "";
    run.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
    await eventually("it has started all", async () => said.includes("\n"), 90_000);
    expect(said).toBe("started\n");
    expect(await notesOf()).toHaveLength(2);
    expect(await remains()).not.toEqual([]);
    // `timeout` does the same: the signal is sent to the whole process group.
    process.kill(-(run.pid ?? 0), signal);
    await eventually(
      "nothing is left",
      async () => (await remains()).length === 0 && (await notesOf()).length === 0,
      60_000,
    );
    expect(await identifyProcess(run.pid ?? 0)).toBeUndefined();
    expect(existsSync(ours)).toBe(true);
    rmSync(ours, { recursive: true });
    await forget();
  });

  test("records of another user are not removed", async () => {
    const forget = await remember({ kind: "undo", command: ["false", cluster] });
    const [note] = (await readNotes()).filter(({ remains: of }) => "command" in of && of.command.includes(cluster));
    expect(note).toBeDefined();
    const nobody = 65_534;
    chownSync(note?.file ?? "", nobody, nobody);
    expect((await readNotes()).filter(({ file }) => file === note?.file)).toEqual([]);
    await forget();
  });
});
