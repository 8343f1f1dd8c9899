import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { byName } from "./plan-package.mjs";

/**
 * The licenses of the packages whose code is in this package: most require their text in every
 * copy.
 * @throws Error for a package without a license file and without the name of its license.
 */
export function thirdPartyLicenses(repository, names) {
  const parts = names.map((name) => {
    const directory = join(repository, "node_modules", name);
    const { version, license } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
    const files = readdirSync(directory).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
    const texts = files.map((file) => readFileSync(join(directory, file), "utf8").trim());
    if (texts.length === 0 && typeof license !== "string") throw new Error(`${name} has no license`);
    return [`${name} ${version} (${license ?? "see below"})`, ...texts].join("\n\n");
  });
  return `${["Kintsugi's programs contain code of these packages.", ...parts].join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}

/** These packages and everything that they depend on. */
export function withDependencies(repository, names) {
  const found = new Set();
  const visit = (name) => {
    const file = join(repository, "node_modules", name, "package.json");
    if (found.has(name) || !existsSync(file)) return;
    if (!name.startsWith("@kintsugi/")) found.add(name);
    for (const needed of Object.keys(JSON.parse(readFileSync(file, "utf8")).dependencies ?? {})) visit(needed);
  };
  for (const name of names) visit(name);
  return [...found].toSorted(byName);
}
