import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { DefinedService } from "../define-service.ts";
import { everythingSaid } from "./everything-said.ts";

/**
 * The test that a service's documented configuration file matches its table, and can be read
 * unchanged and with all commented settings enabled.
 * @param expected values of the configuration that the file sets.
 */
export function testDocumentedFile<Config extends object>(
  service: string,
  { sample, readConfig }: Pick<DefinedService<Config>, "sample" | "readConfig">,
  expected: Partial<Config>,
): void {
  const file = join(import.meta.dirname, `../../../../deploy/config/${service}.yaml`);
  test("the documented file of deploy/ equals this table, and is valid with and without its comments", async () => {
    await expect(sample()).toMatchFileSnapshot(file);
    const directory = mkdtempSync(join(tmpdir(), "kintsugi-config-"));
    try {
      const all = join(directory, "all.yaml");
      writeFileSync(all, everythingSaid(sample()));
      for (const each of [file, all]) expect(readConfig(["--config", each])).toMatchObject(expected);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
}
