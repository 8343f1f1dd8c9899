import { readFile } from "node:fs/promises";
import type { Logger, Metrics } from "@kintsugi/api";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { followFiles, type Loop } from "@kintsugi/daemon";
import type { EncryptionConfig } from "./encryption-flags.ts";
import { encryptedValues } from "./encrypted-values.ts";
import { parseEncryptionConfig } from "./encryption-config.ts";
import { ReloadedValues, type SealedValues } from "./reloaded-values.ts";

interface Encryption {
  readonly values: ReloadedValues;
  /**
   * The loop that reads the file again; `revision` is the last revision that has been encrypted.
   */
  follow(revision: () => number): readonly Loop[];
}

/**
 * Reads the file that configures how values are encrypted; undefined where there is no file.
 * @throws InvalidFile when it has faults.
 */
export async function openEncryption(
  { encryptionConfigFile: file, encryptionReload }: EncryptionConfig,
  { log, metrics }: { log: Logger; metrics: Metrics },
): Promise<Encryption | undefined> {
  if (file === undefined) return undefined;
  const initial = await readFile(file, "utf8");
  const compile = (text: string): SealedValues => encryptedValues(parseEncryptionConfig(text, file), systemRandom);
  const values = new ReloadedValues(compile(initial));
  if (!encryptionReload) return { values, follow: () => [] };
  const reloads = metrics.counter({
    name: "apiserver_encryption_config_controller_automatic_reloads_total",
    help: "Total number of reload successes and failures of encryption configuration split by apiserver identity.",
    labels: ["status"],
  });
  const read = async () => {
    const text = await readFile(file, "utf8");
    try {
      compile(text);
    } catch (error) {
      reloads.add(1, { status: "failure" });
      throw error;
    }
    return text;
  };
  return {
    values,
    follow: (revision) => {
      const apply = (text: string) => {
        values.replace(compile(text), revision());
        reloads.add(1, { status: "success" });
      };
      const followed = { what: "encryption configuration", files: [file], initial, read, apply };
      return [followFiles({ clock: systemClock, log }, followed)];
    },
  };
}
