import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sayWhyNot, whyNoClusters } from "../support/host-abilities.ts";
import { repository } from "../support/lab-cluster.ts";
import { runProgram } from "../support/run-program.ts";

const lacking = whyNoClusters();

test.skipIf(sayWhyNot("a lesson on real containers", lacking))(
  "a lesson is played on real containers, judged by the watched cluster, and its cluster is removed",
  async () => {
    const directory = await mkdtemp(join(tmpdir(), "kintsugi-real-lesson-"));
    const kintsugi = (...words: string[]) =>
      runProgram(process.execPath, [join(repository, "bin/kintsugi"), ...words], {
        env: { KUBECONFIG: join(directory, "kubeconfig") },
        timeoutMs: 480_000,
      });
    try {
      const { code, stdout, stderr } = await kintsugi("learn", "escalation", "--real", "--answer", "1");
      expect({ code, stderr }).toMatchObject({ code: 0 });
      expect(stdout).toContain("The lesson begins: broken has 1 of 1 pod, steady has 2 of 2 pods.");
      expect(stdout).toContain("broken: 0 of 1 pod available");
      // The prediction is compared with the number of pods that the API server reported.
      expect(stdout).toContain("You were right: 1.");
      expect(stdout).toContain("$ kintsugi explain workload broken");
      expect((await kintsugi("list", "--output", "json")).stdout).not.toContain('"learn"');
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },
  600_000,
);
