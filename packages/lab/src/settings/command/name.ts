import { isIP } from "node:net";
import { z } from "zod";
import { InvalidSpec } from "../invalid-spec.ts";
import { plainField, defineSetting } from "../setting.ts";

export const defaultClusterName = "kintsugi";

/** The name rules of kind's clusters, because names become parts of host names and paths. */
const nameForm = /^[a-z0-9]([a-z0-9.-]{0,30}[a-z0-9])?$/;

export const nameSetting = defineSetting({
  name: "name",
  help: `name of the cluster (default: the name in --config, then $KINTSUGI_NAME, then ${defaultClusterName})`,
  flag: { flags: "-n, --name <name>", parse: clusterName },
  field: plainField("name", z.string()),
});

/** @throws InvalidSpec unless the text is a valid cluster name. */
export function clusterName(text: string): string {
  assertClusterName(text);
  return text;
}

/** @throws InvalidSpec unless `text` is a valid cluster name. */
export function assertClusterName(text: string): void {
  if (!nameForm.test(text) || text.includes("..") || isIP(text) !== 0) {
    throw new InvalidSpec(`"${text}" cannot be a cluster's name: use up to 32 lower-case letters, digits, '-' and '.'`);
  }
}
