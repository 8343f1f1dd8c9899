import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { everythingSaid } from "./everything-said.ts";

export interface DocumentedFile {
  /** The service of the file: "scheduler". */
  service: string;
  /** The expected content, by the service's table of flags. */
  sample: () => string;
  /** Reads a configuration by command line, as the service does, and returns one value of it. */
  read: (argv: readonly string[]) => unknown;
  /** That value, in the file's form. */
  expected: unknown;
}

/**
 * The test that a service's documented configuration file matches its table, and can be read
 * unchanged and with all commented settings enabled.
 */
export function testDocumentedFile({ service, sample, read, expected }: DocumentedFile): void {
  const file = join(import.meta.dirname, `../../../../deploy/config/${service}.yaml`);
  test("the documented file of deploy/ equals this table, and is valid with and without its comments", async () => {
    await expect(sample()).toMatchFileSnapshot(file);
    const directory = mkdtempSync(join(tmpdir(), "kintsugi-config-"));
    try {
      const all = join(directory, "all.yaml");
      writeFileSync(all, everythingSaid(sample()));
      for (const each of [file, all]) expect(read(["--config", each])).toEqual(expected);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
}
